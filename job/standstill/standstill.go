// Package standstill judges whether a running job hangs, from what its ranks
// have recorded of their own progress.
package standstill

import (
	"time"

	"laggard/model"
	"laggard/model/process"
)

// Timeout is the shortest standstill that counts as a hang unless the user says
// otherwise; the paper found 60 s to suffice (PDI §4.1).
const Timeout = 60 * time.Second

// patience is how many times longer a job may stand still whose ranks compute
// at changing places: a long serial phase looks like that, and so does an
// endless loop.
const patience = 5

// Standstill is what a look at a running job shows.
type Standstill struct {
	Still   bool          // no rank makes progress
	Over    bool          // every rank has ended or finalized
	Since   time.Time     // when the last rank stopped
	waiting bool          // some rank waits inside MPI
	working bool          // some rank computes, at changing places
	longest time.Duration // longest standstill of a rank that ended by itself
}

// Of sums up the ranks of a running job. A rank that has left nothing yet makes
// no progress either; the others may wait for it in MPI_Init.
func Of(run *model.Run, now time.Time) Standstill {
	s := Standstill{Still: true, Over: true}
	for _, r := range run.Ranks {
		s.longest = max(s.longest, r.LongestQuiet)
		if r.Phase >= model.Finalized || r.End != model.NoEnd || r.Off {
			continue
		}
		s.Over = false
		since := r.QuietSince
		if stale := r.Heartbeat.Add(process.Fresh); since.IsZero() && now.After(stale) {
			since = r.Heartbeat // stopped or killed: it cannot say that it is quiet
		}
		if since.IsZero() {
			s.Still = false
			continue
		}
		if since.After(s.Since) {
			s.Since = since
		}
		for _, t := range r.Threads {
			s.waiting = s.waiting || t.Op.InMPI || t.Op.Kind == model.Poll
			s.working = s.working || working(t)
		}
	}
	return s
}

// working tells whether a thread outside MPI was last found elsewhere than the
// time before.
func working(t *model.Thread) bool {
	c := t.Captured
	return !t.Op.InMPI && t.Op.Kind != model.Poll && c != nil && c.Calls == t.Calls && c.Same <= 1
}

// Hangs tells whether the job counts as hung. A timeout that the user gave is
// taken as it is. With 0, nothing short of a minute, or of twice what the job has
// survived before, is a hang; a job is at work if none of its ranks waits; and one
// that waits for a rank at work is given more time.
func (s Standstill) Hangs(timeout time.Duration, now time.Time) bool {
	if !s.Still || s.Over {
		return false
	}
	if timeout == 0 {
		timeout = max(Timeout, 2*s.longest)
		if s.working {
			timeout = max(patience*Timeout, timeout)
		}
		if !s.waiting {
			return false
		}
	}
	return now.Sub(s.Since) >= timeout
}
