package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"laggard/internal/regular"
	"laggard/job/signals"
	"laggard/model"
	"laggard/python"
)

// Suite is what the journals say. Its methods are for one goroutine at a time.
type Suite struct {
	dir     string // of the journals, which all ranks reach
	ranks   map[int]*journal
	lost    map[string]LostTest
	frozen  bool           // what was read holds
	unknown bool           // the ranks of the runners are
	stopped chan os.Signal // the job is being ended, and so the suite
}

// LostTest is a test that did not come to its end: what is said of it, and how long it ran.
type LostTest struct {
	Text    string  `json:"text"`
	Seconds float64 `json:"seconds"`
}

// Create makes a directory for the journals in the run directory of a suite's first job.
func Create(runDir string) (*Suite, error) {
	dir := filepath.Join(runDir, ".tests")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("journals of tests: %w", err)
	}
	if err := python.Install(filepath.Join(dir, "python")); err != nil {
		return nil, fmt.Errorf("plug-in for pytest: %w", err)
	}
	s := &Suite{dir: dir, ranks: map[int]*journal{}, lost: map[string]LostTest{}, stopped: make(chan os.Signal, 1)}
	ends := signals.NotIgnored(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU)
	signal.Notify(s.stopped, ends...)
	return s, nil
}

// Environment is what tells test runners of the journals, and lets pytest find its plug-in.
func (s *Suite) Environment() map[string]string {
	return map[string]string{"LAGGARD_TESTS": s.dir, "PYTHONPATH": pythonPath(filepath.Join(s.dir, "python"))}
}

// ProvokedEnvironment is for runs behind a suite that passed, whose reports must not replace the suite's. It makes a directory for the
// plug-in of pytest.
func ProvokedEnvironment(dir string) (map[string]string, error) {
	if err := python.Install(dir); err != nil {
		return nil, fmt.Errorf("plug-in for pytest: %w", err)
	}
	return map[string]string{"LAGGARD_PROVOKED": "1", "PYTHONPATH": pythonPath(dir)}, nil
}

// pythonPath is PYTHONPATH with a directory before what it has.
func pythonPath(path string) string {
	if before := os.Getenv("PYTHONPATH"); before != "" {
		path += string(os.PathListSeparator) + before
	}
	return path
}

// Remove removes the journals.
func (s *Suite) Remove() error { return os.RemoveAll(s.dir) }

// Freeze keeps what the journals say now: the job is about to be ended.
func (s *Suite) Freeze() {
	s.readJournals(time.Now())
	s.frozen = true
}

// unranked is the file by which runners say that they are several whose ranks the launcher does not tell.
const unranked = "unranked"

// readJournals reads what the journals say by now: nothing if it is not known whose they are.
func (s *Suite) readJournals(now time.Time) {
	if s.frozen {
		return
	}
	if _, err := os.Stat(filepath.Join(s.dir, unranked)); err == nil {
		clear(s.ranks)
		s.unknown = true
		return
	}
	names, _ := filepath.Glob(filepath.Join(s.dir, "rank-*.jsonl"))
	for _, name := range names {
		number, _ := strings.CutPrefix(strings.TrimSuffix(filepath.Base(name), ".jsonl"), "rank-")
		rank, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		if s.ranks[rank] == nil {
			s.ranks[rank] = &journal{name: name, ended: map[string]testEnd{}}
		}
		s.ranks[rank].readLines(now)
	}
}

// Limit reports whether a test that runs has a time limit of its own, and which is over it,
// "" none. While one has, that limit alone says when the job hangs.
func (s *Suite) Limit(now time.Time) (own bool, over string) {
	s.readJournals(now)
	for _, j := range s.ranks {
		if j.test == "" || j.limit == 0 {
			continue
		}
		own = true
		if now.Sub(j.limitFrom) >= j.limit {
			over = fmt.Sprintf("%s takes longer than %s", j.test, j.limit)
		}
	}
	return own, over
}

// IsFinished reports whether the test runner of a rank came to its end, and no rank is in a test. Such a job failed because
// tests did.
func (s *Suite) IsFinished() (finished bool) {
	s.readJournals(time.Now())
	for _, j := range s.ranks {
		if j.test != "" {
			return false
		}
		finished = finished || j.finished
	}
	return finished
}

// endedByRunner reports whether a job ended by a rank that had come to the end of its tests, since these failed or on purpose, as by
// comm.Abort in pytest_sessionfinish: it would do so again. If it is not known which rank the job died of, it may be that one.
func (s *Suite) endedByRunner(died []int) bool {
	for rank, j := range s.ranks {
		if j.finished && (len(died) == 0 || slices.Contains(died, rank)) {
			return true
		}
	}
	return false
}

// PlanResume looks whether a job that is over ended within a test, for which it then has the next
// job say why. It returns that test, "" if there is none, or the rest is not to be run: a rank
// stopped before its last test (pytest -x) or ended the job behind it, one of a job that hung has not
// come to its first, none has a test that was lost before, or somebody ended the job. died are the
// ranks that a job died of, if it did not hang; size is how many ranks it had.
func (s *Suite) PlanResume(hung bool, died []int, size int, text string) (lost string, err error) {
	now := time.Now()
	s.readJournals(now)
	s.frozen = false
	tests := s.interrupted(died)
	if len(tests) == 0 || len(s.stopped) > 0 || !hung && s.endedByRunner(died) || s.hasStoppedEarly() ||
		hung && s.beforeTests(size).Len() > 0 || s.Forgotten() != "" {
		return "", nil
	}
	for _, test := range tests {
		why := LostTest{Text: text}
		for _, j := range s.ranks {
			if j.test == test {
				why.Seconds = max(why.Seconds, now.Sub(j.since).Seconds())
			}
		}
		s.lost[test] = why
	}
	for _, j := range s.ranks {
		j.leaveJob()
	}
	plan, err := json.Marshal(map[string]any{"done": s.finishedTests(), "lost": s.lost})
	if err != nil {
		return "", err
	}
	return strings.Join(tests, ", "), regular.ReplaceFile(filepath.Join(s.dir, "resume.json"), plan)
}

// Unused says why nothing is known of the tests of a command that runs pytest; "": something is, or it does not.
func (s *Suite) Unused(command []string) string {
	s.readJournals(time.Now())
	runs := slices.ContainsFunc(command, func(word string) bool {
		name := filepath.Base(word)
		return name == "pytest" || name == "py.test"
	})
	switch {
	case s.unknown:
		return "the launcher does not tell processes their ranks in a variable that is known"
	case runs && len(s.ranks) == 0:
		return "pytest had not come to its tests, or did not load the plug-in of laggard (another PYTHONPATH, python -I or -E)"
	}
	return ""
}

// Forgotten is a lost test that no rank of the job behind it has; "": there is none. The ids of tests differ from process to process
// then, so that the job neither reports it nor leaves it out.
func (s *Suite) Forgotten() string {
	s.readJournals(time.Now())
	var known []string
	looked := false
	for _, j := range s.ranks {
		known, looked = append(known, j.known...), looked || j.known != nil
	}
	for _, test := range slices.Sorted(maps.Keys(s.lost)) {
		if looked && !slices.Contains(known, test) {
			return test
		}
	}
	return ""
}

// hasStoppedEarly reports whether a rank's runner has ended with tests that it did not run.
func (s *Suite) hasStoppedEarly() bool {
	for _, j := range s.ranks {
		if j.finished && j.left > 0 {
			return true
		}
	}
	return false
}

// beforeTests are the ranks of a job of so many that have not come to their first test. One without a journal is taken for
// none of the runner's, such as a spawned one, once a test has ended without it.
func (s *Suite) beforeTests(size int) (out model.RankSet) {
	for rank, j := range s.ranks {
		if !j.begun && !j.finished {
			out.Add(rank)
		}
		if len(j.ended) > 0 {
			size = 0
		}
	}
	for rank := range size {
		if s.ranks[rank] == nil {
			out.Add(rank)
		}
	}
	return out
}

// interrupted lists the tests that a job is to blame for: the first of those in which ranks are, since other ranks may be ahead of
// one that hangs; where ranks run them in other orders there may be several. Of a job that died they are those of the ranks that are named.
func (s *Suite) interrupted(died []int) []string {
	in := map[string]int{} // the least of their places in the orders of the ranks that are in them
	for _, r := range died {
		if j := s.ranks[r]; j != nil && j.test != "" {
			in[j.test] = 0
		}
	}
	if len(in) == 0 {
		for _, j := range s.ranks {
			if n, ok := in[j.test]; j.test != "" && (!ok || j.testNumber < n) {
				in[j.test] = j.testNumber
			}
		}
		maps.DeleteFunc(in, func(test string, _ int) bool { return s.isBehindAnother(test, in) })
	}
	var out []string
	for _, test := range slices.Sorted(maps.Keys(in)) {
		if in[test] == slices.Min(slices.Collect(maps.Values(in))) {
			out = append(out, test)
		}
	}
	return out
}

// isBehindAnother reports whether a rank that is in a test has ended, in this job, one of those in which others are, and none of these has
// ended that test: places in the order tell less, since ranks may collect different tests.
func (s *Suite) isBehindAnother(test string, in map[string]int) bool {
	ended := func(in, other string) bool { // by a rank that is in one
		for _, j := range s.ranks {
			if e, ok := j.ended[other]; ok && j.test == in && e.job == j.job {
				return true
			}
		}
		return false
	}
	for other := range in {
		if ended(test, other) && !ended(other, test) {
			return true
		}
	}
	return false
}

// finishedTests lists what all ranks have finished.
func (s *Suite) finishedTests() []string {
	out, ranks := []string{}, map[string]int{}
	for _, j := range s.ranks {
		for test := range j.ended {
			if ranks[test]++; ranks[test] == len(s.ranks) {
				out = append(out, test)
			}
		}
	}
	slices.Sort(out)
	return out
}
