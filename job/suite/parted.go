package suite

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"laggard/model"
)

// Parted tells what only the journals know of a job that is over: which ranks have left the
// tests that are to blame, what these came to there, and which ranks are in them still; and
// the last test before them that failed on some ranks only. died are as for Resume. It is
// "" where no rank has left and no test failed so.
func (s *Suite) Parted(died []int) string {
	s.look(time.Now())
	tests := s.interrupted(died)
	said := map[string]model.RankSet{} // sentences, and of whom
	for _, test := range tests {
		for rank, j := range s.ranks {
			if e, ok := j.ended[test]; ok && e.job == j.job {
				add(said, e.left(test)+", "+j.now(), rank)
			}
		}
	}
	if test := s.uneven(tests); test != "" {
		for rank, j := range s.ranks {
			if e := j.ended[test]; e.failed != "" {
				add(said, fmt.Sprintf("failed before in %s, unlike others (%s)", test, e.failed), rank)
			}
		}
	}
	if len(said) == 0 {
		return ""
	}
	for rank, j := range s.ranks {
		if slices.Contains(tests, j.test) {
			add(said, "still in "+j.test, rank)
		}
	}
	return "By the tests:\n" + sentences(said)
}

func add(said map[string]model.RankSet, sentence string, rank int) {
	set := said[sentence]
	set.Add(rank)
	said[sentence] = set
}

// sentences are listed by the first rank of each.
func sentences(said map[string]model.RankSet) string {
	var out strings.Builder
	order := slices.SortedFunc(maps.Keys(said), func(a, b string) int {
		if d := said[a].Min() - said[b].Min(); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, sentence := range order {
		fmt.Fprintf(&out, "  %s: %s\n", said[sentence].Phrase(), sentence)
	}
	return out.String()
}

// left tells how a rank came out of a test that others did not come out of.
func (e end) left(test string) string {
	if e.failed != "" {
		return fmt.Sprintf("failed in %s (%s)", test, e.failed)
	}
	return "left " + test + " without a failure"
}

// now tells where a rank is that has left a test.
func (j *journal) now() string {
	switch {
	case j.test != "":
		return "and went on to " + j.test
	case j.finished:
		return "and came to the end of the tests"
	}
	return "and is between tests"
}

// uneven finds the last test before those to blame that failed on some ranks and not on
// others, in this job; "": there is none. Such a failure may have left messages behind.
func (s *Suite) uneven(blamed []string) (test string) {
	failed, first, last := map[string]int{}, -1, -1
	for _, j := range s.ranks {
		if slices.Contains(blamed, j.test) && (first < 0 || j.n < first) {
			first = j.n
		}
	}
	for _, j := range s.ranks {
		for name, e := range j.ended {
			if e.failed != "" && e.job == j.job && e.n < first {
				failed[name]++
			}
		}
	}
	for _, j := range s.ranks {
		for name, e := range j.ended {
			if n := failed[name]; n > 0 && n < len(s.ranks) && e.n > last {
				test, last = name, e.n
			}
		}
	}
	return test
}
