package main

import (
	"time"

	"laggard/model"
	"laggard/model/process"
)

// defaultTimeout is the shortest standstill that counts as a hang unless the
// user says otherwise; the paper found 60 s to suffice (PDI §4.1).
const defaultTimeout = 60 * time.Second

// patience is how many times longer a job may stand still whose ranks compute
// at changing places: a long serial phase looks like that, and so does an
// endless loop.
const patience = 5

// standstill is what a look at a running job shows.
type standstill struct {
	still   bool          // no rank makes progress
	waiting bool          // some rank waits inside MPI
	working bool          // some rank computes, at changing places
	over    bool          // every rank has ended or finalized
	since   time.Time     // when the last one stopped
	longest time.Duration // longest standstill of a rank that ended by itself
}

// lookAt sums up the ranks of a running job. A rank that is not there yet makes
// no progress either; the others may wait for it in MPI_Init.
func lookAt(run *model.Run, now time.Time) standstill {
	s := standstill{still: true, over: true}
	for _, r := range run.Ranks {
		s.longest = max(s.longest, r.LongestQuiet)
		if r.Phase >= model.Finalized || r.End != model.NoEnd || r.Off {
			continue
		}
		s.over = false
		since := r.QuietSince
		if stale := r.Heartbeat.Add(process.Fresh); since.IsZero() && now.After(stale) {
			since = r.Heartbeat // stopped or killed: it cannot say that it is quiet
		}
		if since.IsZero() {
			s.still = false
			continue
		}
		if since.After(s.since) {
			s.since = since
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

// hung tells whether the job counts as hung. A timeout that the user gave is
// taken as it is. Else nothing short of a minute, or of twice what the job has
// survived before, is a hang; a job none of whose ranks waits is at work; and
// one that waits for a rank at work is given more time.
func (s standstill) hung(timeout time.Duration, now time.Time) bool {
	if !s.still || s.over {
		return false
	}
	if timeout == 0 {
		timeout = max(defaultTimeout, 2*s.longest)
		if s.working {
			timeout = max(patience*defaultTimeout, timeout)
		}
		if !s.waiting {
			return false
		}
	}
	return now.Sub(s.since) >= timeout
}
