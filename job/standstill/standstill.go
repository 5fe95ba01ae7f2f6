// Package standstill judges whether a running job hangs, from what its ranks
// have recorded of their own progress.
package standstill

import (
	"os"
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

// unheard is after how long a rank of another node counts as silent. Its file may
// reach this node late, and nothing here tells whether its process lives.
const unheard = time.Minute

// Standstill is what a look at a running job shows.
type Standstill struct {
	Still   bool          // no rank makes progress
	Over    bool          // every rank has ended or finalized
	Since   time.Time     // when the last rank stopped
	waiting bool          // some rank waits inside MPI
	working bool          // some rank computes, at changing places
	absent  bool          // some rank has left nothing
	longest time.Duration // longest standstill of a rank that ended by itself
}

// Eye looks at one job again and again. The zero value has not looked yet.
type Eye struct {
	host   string
	mute   map[int]progress // of ranks that do not speak for themselves
	before time.Time        // of the last look
}

// progress is what a rank had done when it was first seen to have done so much.
type progress struct {
	steps uint64
	since time.Time
}

// pause is the longest time between two looks after which the first still counts.
// If it was longer, laggard itself was stopped or starved.
const pause = time.Minute

// Look sums up the ranks of a running job. A rank that has left nothing yet makes
// no progress either; the others may wait for it in MPI_Init.
func (e *Eye) Look(run *model.Run, now time.Time) Standstill {
	if e.mute == nil || now.Sub(e.before) > pause {
		e.host, _ = os.Hostname() // without it, all ranks are of another host
		e.mute = map[int]progress{}
	}
	e.before = now
	s := Standstill{Still: true, Over: true, absent: run.Missing().Len() > 0}
	stopped, open := 0, 0
	for _, r := range run.Ranks {
		s.longest = max(s.longest, r.LongestQuiet)
		if r.Phase >= model.Finalized || r.End != model.NoEnd || r.Off {
			continue
		}
		s.Over = false
		open++
		since, state := e.quiet(r, now)
		if state == process.Stopped {
			stopped++
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
	if open > 1 && stopped == open {
		s.Still = false // somebody has suspended the job
	}
	return s
}

// quiet tells since when a rank makes no progress, zero if it does, and what its
// process does, if that had to be looked at. What a rank says of itself holds while
// it goes on saying that it lives. That it does not proves nothing while its
// process is there: its page may be on its way to the disk. Then what it has done
// is compared with the looks before.
func (e *Eye) quiet(r *model.Rank, now time.Time) (time.Time, process.State) {
	silence, here := now.Sub(r.Heartbeat), process.Here(r, e.host)
	if here && silence <= process.Fresh || !here && silence < unheard {
		delete(e.mute, r.Rank)
		return r.QuietSince, process.Alive
	}
	state := process.Gone
	if here {
		state = process.Of(r)
	}
	if state != process.Alive {
		if r.QuietSince.IsZero() {
			return r.Heartbeat, state
		}
		return r.QuietSince, state
	}
	done := progress{steps(r), now}
	if before, known := e.mute[r.Rank]; known && before.steps == done.steps {
		return before.since, state
	}
	e.mute[r.Rank] = done
	return now, state
}

// steps counts what the threads of a rank have done, empty polls left out.
func steps(r *model.Rank) (n uint64) {
	for _, t := range r.Threads {
		n += 2 * t.Progress
		if t.Op.InMPI && t.Op.Kind != model.Poll && t.Op.Kind != model.Local {
			n++
		}
	}
	return n
}

// working tells whether a thread outside MPI was last found elsewhere than the
// time before.
func working(t *model.Thread) bool {
	c := t.Captured
	return !t.Op.InMPI && t.Op.Kind != model.Poll && c != nil && c.Calls == t.Calls && c.Same <= 1
}

// Hangs tells whether the job counts as hung. A timeout that the user gave is
// taken as it is, but a rank that has left nothing may still be on its way to
// MPI_Init, and gets a minute. With 0, nothing short of a minute, or of twice what the job has
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
	if s.absent {
		timeout = max(timeout, Timeout)
	}
	return now.Sub(s.Since) >= timeout
}
