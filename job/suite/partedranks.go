package suite

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"laggard/internal/lateregexp"
	"laggard/model"
)

// PartedText tells what only the journals know of a job that is over: which ranks have left the
// tests that are to blame, what these came to there, and which ranks are in them still or have
// not come to any; and the last test before them that failed on some ranks only. died and size
// are as for PlanResume. It is "" where no rank has left, none comes late and no test failed so.
func (s *Suite) PartedText(died []int, size int) string {
	s.readJournals(time.Now())
	tests := s.interrupted(died)
	said := map[string]model.RankSet{} // sentences, and of whom
	for _, test := range tests {
		for rank, j := range s.ranks {
			if e, ok := j.ended[test]; ok && e.job == j.job {
				addSentence(said, e.exitText(test)+", "+j.positionText(), rank)
			}
		}
	}
	if late := s.beforeTests(size); len(tests) > 0 && late.Len() > 0 {
		said["not yet in the first test"] = late
	}
	if test := s.lastUnevenTest(tests); test != "" {
		for rank, j := range s.ranks {
			if e := j.ended[test]; e.Failed != "" {
				addSentence(said, fmt.Sprintf("failed earlier in %s, unlike others (%s)", test, e.Failed), rank)
			}
		}
	}
	if len(said) == 0 {
		return ""
	}
	for rank, j := range s.ranks {
		if slices.Contains(tests, j.test) {
			addSentence(said, "still in "+j.test, rank)
		}
	}
	return "By the tests:\n" + sentences(said)
}

// Failure is what ranks failed with in a test that others are in still.
type Failure struct {
	Headline string // which ranks failed, with what, and which are still in the test
	File     string // where the first of them failed; "": not known
	Line     int
}

// Failure says of a job that hangs which ranks failed in the test that others are in still, and with what: that is why
// the others wait. It is nil where none did. Ranks that skipped the test do not count: the others may not need them.
func (s *Suite) Failure() *Failure {
	s.readJournals(time.Now())
	for _, test := range s.interrupted(nil) {
		failed, still := map[string]model.RankSet{}, model.RankSet{}
		for rank, j := range s.ranks {
			if e, ok := j.ended[test]; ok && e.job == j.job && e.failure() != "" {
				addSentence(failed, e.exitText(test)+", "+j.positionText(), rank)
			}
			if j.test == test {
				still.Add(rank)
			}
		}
		if len(failed) > 0 && still.Len() > 0 {
			var parts []string
			for _, sentence := range orderedSentences(failed) {
				parts = append(parts, failed[sentence].Phrase()+" "+sentence)
			}
			out := Failure{Headline: fmt.Sprintf("%s; still in it: %s", strings.Join(parts, "; "), still.Phrase())}
			first := failed[orderedSentences(failed)[0]].Min()
			out.File, out.Line = s.ranks[first].ended[test].failedAt()
			return &out
		}
	}
	return nil
}

// failurePlace is how the plug-in for pytest begins what a test failed with, if it knows where.
var failurePlace = lateregexp.New(`^([^:]+):([0-9]{1,9}): `)

// failure is what the test failed with; "": it did not.
func (e testEnd) failure() string { return cmp.Or(e.Failed, e.Xfailed, e.Rerun) }

// failedAt is the file and the line where a test failed; "": they are not known.
func (e testEnd) failedAt() (file string, line int) {
	m := failurePlace.FindStringSubmatch(e.failure())
	if m == nil {
		return "", 0
	}
	line, _ = strconv.Atoi(m[2]) // at most nine digits
	return m[1], line
}

func addSentence(said map[string]model.RankSet, sentence string, rank int) {
	set := said[sentence]
	set.Add(rank)
	said[sentence] = set
}

// sentences are listed by the first rank of each.
func sentences(said map[string]model.RankSet) string {
	var out strings.Builder
	for _, sentence := range orderedSentences(said) {
		fmt.Fprintf(&out, "  %s: %s\n", said[sentence].Phrase(), sentence)
	}
	return out.String()
}

func orderedSentences(said map[string]model.RankSet) []string {
	return slices.SortedFunc(maps.Keys(said), func(a, b string) int {
		return cmp.Or(cmp.Compare(said[a].Min(), said[b].Min()), cmp.Compare(a, b))
	})
}

// exitText tells how a rank came out of a test that others did not come out of.
func (e testEnd) exitText(test string) string {
	switch {
	case e.Failed != "":
		return fmt.Sprintf("failed in %s (%s)", test, e.Failed)
	case e.Xfailed != "":
		return fmt.Sprintf("failed in %s, as xfail expects (%s)", test, e.Xfailed)
	case e.Rerun != "":
		return fmt.Sprintf("failed in %s, and ran it again (%s)", test, e.Rerun)
	case e.Skipped != "":
		return fmt.Sprintf("skipped %s (%s)", test, e.Skipped)
	}
	return "left " + test + " without a failure"
}

// positionText tells where a rank is that has left a test.
func (j *journal) positionText() string {
	switch {
	case j.test != "":
		return "and continued with " + j.test
	case j.finished:
		return "and finished the tests"
	}
	return "and is between tests"
}

// lastUnevenTest finds the last test before those to blame that failed on some ranks and not on
// others, in this job; "": there is none. Such a failure may have left messages behind.
func (s *Suite) lastUnevenTest(blamed []string) (test string) {
	failed, first, last := map[string]int{}, -1, -1
	for _, j := range s.ranks {
		if slices.Contains(blamed, j.test) && (first < 0 || j.testNumber < first) {
			first = j.testNumber
		}
	}
	for _, j := range s.ranks {
		for name, e := range j.ended {
			if e.Failed != "" && e.job == j.job && e.n < first {
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
