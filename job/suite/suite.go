// Package suite follows a suite of tests that runs within one MPI job, so that after a hang
// the rest of it runs in a new job. Each rank's test runner writes a journal of which test it
// is in and what came out of the last (python/laggard_pytest.py does for pytest); a job whose
// ranks write none is one test.
package suite

import (
	"encoding/json"
	"errors"
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

	"laggard/python"
)

// Suite is what the journals say. Its methods are for one goroutine at a time.
type Suite struct {
	dir     string // of the journals, which all ranks reach
	ranks   map[int]*journal
	lost    map[string]Lost
	frozen  bool           // what was read holds
	stopped chan os.Signal // somebody ends the job, and so the suite
}

// Lost is a test that did not come to its end: what is said of it, and how long it ran.
type Lost struct {
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
	s := &Suite{dir: dir, ranks: map[int]*journal{}, lost: map[string]Lost{}, stopped: make(chan os.Signal, 1)}
	signal.Notify(s.stopped, syscall.SIGINT, syscall.SIGTERM)
	return s, nil
}

// Environment is what tells test runners of the journals, and lets pytest find its plug-in.
func (s *Suite) Environment() map[string]string {
	path := filepath.Join(s.dir, "python")
	if before := os.Getenv("PYTHONPATH"); before != "" {
		path += string(os.PathListSeparator) + before
	}
	return map[string]string{"LAGGARD_TESTS": s.dir, "PYTHONPATH": path}
}

// Remove removes the journals.
func (s *Suite) Remove() error { return os.RemoveAll(s.dir) }

// Freeze keeps what the journals say now: the job is about to be ended.
func (s *Suite) Freeze() {
	s.look(time.Now())
	s.frozen = true
}

// look reads what the journals say by now.
func (s *Suite) look(now time.Time) {
	if s.frozen {
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
			s.ranks[rank] = &journal{name: name, ended: map[string]end{}}
		}
		s.ranks[rank].read(now)
	}
}

// Limit tells whether a test that runs has a time limit of its own, and which is over it,
// "" none. While one has, that limit alone says when the job hangs.
func (s *Suite) Limit(now time.Time) (own bool, over string) {
	s.look(now)
	for _, j := range s.ranks {
		if j.test == "" || j.limit == 0 {
			continue
		}
		own = true
		if now.Sub(j.since) >= j.limit {
			over = fmt.Sprintf("%s takes longer than %s", j.test, j.limit)
		}
	}
	return own, over
}

// Finished tells whether the test runner of a rank came to its end. Such a job failed because
// tests did.
func (s *Suite) Finished() bool {
	s.look(time.Now())
	for _, j := range s.ranks {
		if j.finished {
			return true
		}
	}
	return false
}

// Resume looks whether a job that is over ended within a test, for which it then has the next
// job say why. It returns that test, "" if there is none, or the rest is not to be run: a rank
// stopped before its last test (pytest -x), or somebody ended the job. died are the ranks that
// a job died of, if it did not hang.
func (s *Suite) Resume(hung bool, died []int, text string) (lost string, err error) {
	now := time.Now()
	s.look(now)
	s.frozen = false
	tests := s.interrupted(died)
	if len(tests) == 0 || len(s.stopped) > 0 || !hung && s.Finished() || s.left() {
		return "", nil
	}
	for _, test := range tests {
		why := Lost{Text: text}
		for _, j := range s.ranks {
			if j.test == test {
				why.Seconds = max(why.Seconds, now.Sub(j.since).Seconds())
			}
		}
		s.lost[test] = why
	}
	for _, j := range s.ranks {
		j.test, j.finished = "", false // that job is over
	}
	plan, err := json.Marshal(map[string]any{"done": s.done(), "lost": s.lost})
	if err != nil {
		return "", err
	}
	name := filepath.Join(s.dir, "resume.json")
	err = errors.Join(os.WriteFile(name+".new", plan, 0o600), os.Rename(name+".new", name))
	return strings.Join(tests, ", "), err
}

// left tells whether a rank's runner has ended with tests that it did not run.
func (s *Suite) left() bool {
	for _, j := range s.ranks {
		if j.finished && j.left > 0 {
			return true
		}
	}
	return false
}

// interrupted lists the tests that a job is to blame for: the first by the order in which they
// run, since other ranks may be ahead of one that hangs; where ranks run them in other orders
// there may be several. Of a job that died they are those of the ranks that are named.
func (s *Suite) interrupted(died []int) []string {
	in := map[string]int{}
	for _, r := range died {
		if j := s.ranks[r]; j != nil && j.test != "" {
			in[j.test] = 0
		}
	}
	if len(in) == 0 {
		for _, j := range s.ranks {
			if j.test != "" {
				in[j.test] = j.n
			}
		}
	}
	var out []string
	for _, test := range slices.Sorted(maps.Keys(in)) {
		if in[test] == slices.Min(slices.Collect(maps.Values(in))) {
			out = append(out, test)
		}
	}
	return out
}

// done lists what all ranks have finished.
func (s *Suite) done() []string {
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
