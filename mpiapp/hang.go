package main

import (
	"time"

	"laggard/model"
)

// defaultTimeout is the shortest standstill that counts as a hang unless the
// user says otherwise; the paper found 60 s to suffice (PDI §4.1).
const defaultTimeout = 60 * time.Second

// standstill is what a look at a running job shows.
type standstill struct {
	complete bool          // every rank of the job left a sign
	still    bool          // no rank makes progress
	waiting  bool          // some rank waits inside MPI
	over     bool          // every rank has ended or finalized
	since    time.Time     // when the last one stopped
	longest  time.Duration // longest standstill of a rank that ended by itself
}

// lookAt sums up the ranks of a running job.
func lookAt(run *model.Run, now time.Time) standstill {
	s := standstill{complete: len(run.Ranks) > 0 && run.Missing().Len() == 0, still: true, over: true}
	for _, r := range run.Ranks {
		s.longest = max(s.longest, r.LongestQuiet)
		if r.Phase >= model.Finalized || r.End != model.NoEnd || r.Off {
			continue
		}
		s.over = false
		since := r.QuietSince
		if stale := r.Heartbeat.Add(freshFor); since.IsZero() && now.After(stale) {
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
		}
	}
	return s
}

// hung tells whether the job counts as hung. A timeout that the user gave is
// taken as it is; else nothing short of a minute, or of twice what the job has
// survived before, is a hang, and a job none of whose ranks waits is at work.
func (s standstill) hung(timeout time.Duration, now time.Time) bool {
	if !s.complete || !s.still || s.over {
		return false
	}
	if timeout == 0 {
		timeout = max(defaultTimeout, 2*s.longest)
		if !s.waiting {
			return false
		}
	}
	return now.Sub(s.since) >= timeout
}
