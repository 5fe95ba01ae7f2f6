package suite

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"time"
)

// journal is what one rank has written.
type journal struct {
	name       string
	offset     int64              // how far it was read
	ended      map[string]testEnd // tests, in this job and those before
	job        int                // in how many jobs its runner was started
	test       string             // that runs, "" none
	testNumber int                // its place in the order of tests
	since      time.Time          // when it was first seen to run, by this node's clock
	limit      time.Duration      // 0: it has none of its own
	limitFrom  time.Time          // from when on the limit counts
	begun      bool               // a test, in this job
	finished   bool               // the runner did, with so many tests that it did not run
	left       int
	known      []string // which of the lost tests it has found in this job; nil: it has not looked
}

// longestLimit bounds limits, in seconds: what is longer is none.
const longestLimit = 1e9

// testEnd is how a test came out on a rank.
type testEnd struct {
	n   int // the test's place in the order of tests
	job int // in which job of the rank
	reasons
}

// reasons are why a test left before its end: where, and with what; "" for each that it is not.
type reasons struct {
	Failed  string
	Xfailed string // it failed, as it is marked to
	Skipped string
	Rerun   string // it failed and ran again
}

// line is one of a journal: a test begins, its limit is said later, it ends, or the runner
// starts, has collected the tests, or finishes.
type line struct {
	Begin   *string
	N       int
	Limit   *float64 // seconds
	End     *string
	reasons // with End
	Start   json.RawMessage
	Finish  *int     // how many tests were not run
	Known   []string // lost tests that there are
}

// readLines takes in the whole lines that were written since.
func (j *journal) readLines(now time.Time) {
	f, err := os.Open(j.name)
	if err != nil {
		return
	}
	defer f.Close()
	if _, err := f.Seek(j.offset, io.SeekStart); err != nil {
		return
	}
	text, _ := io.ReadAll(f) // what cannot be read now is read the next time
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	j.offset += int64(len(whole))
	for one := range bytes.Lines(whole) {
		var l line
		if json.Unmarshal(one, &l) == nil { // a line is torn where a job was ended
			j.applyLine(&l, now)
		}
	}
}

func (j *journal) applyLine(l *line, now time.Time) {
	switch {
	case l.Begin != nil:
		j.test, j.testNumber, j.since, j.limit, j.begun = *l.Begin, l.N, now, 0, true
		delete(j.ended, j.test) // a rank that was ahead runs it again
	case l.End != nil:
		j.ended[*l.End] = testEnd{j.testNumber, j.job, l.reasons}
		j.test = ""
	case l.Start != nil:
		j.leaveJob()
		j.job++
	case l.Known != nil:
		j.known = l.Known
	case l.Finish != nil:
		j.test, j.finished, j.left = "", true, *l.Finish
	}
	if l.Limit != nil {
		j.limit, j.limitFrom = time.Duration(min(max(0, *l.Limit), longestLimit)*float64(time.Second)), now
	}
}

// leaveJob forgets where the rank is in a job, which is over, or another one begins.
func (j *journal) leaveJob() { j.test, j.begun, j.finished, j.known = "", false, false, nil }
