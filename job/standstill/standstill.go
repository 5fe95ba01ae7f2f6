package standstill

import (
	"fmt"
	"os"
	"time"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/model/process"
)

// Timeout is the shortest standstill that counts as a hang unless the user says
// otherwise; the paper found 60 s to suffice (PDI §4.1).
const Timeout = 60 * time.Second

// Patience is the shortest standstill that counts as a hang if it is not certain that the job can never go on: a
// long serial phase and a slow file system look like a hang, too.
const Patience = 5 * time.Minute

// starting is how long a rank may take to call MPI_Init, and ranks that start others wait for them.
const starting = time.Minute

// unheard is after how long a rank of another node counts as silent. Its file may
// reach this node late, and nothing here reports whether its process lives.
const unheard = time.Minute

// alive is within what time a rank that lives gives a sign of life, unless it is starved: it is not looked for in the system.
const alive = 2 * time.Second

// Standstill is what a look at a running job shows.
type Standstill struct {
	Still   bool          // no rank makes progress
	Over    bool          // every rank has ended or finalized
	Killed  bool          // the others are all of this host and were killed: nobody is left that could hang
	Since   time.Time     // when the last rank stopped
	sure    time.Time     // likewise, but for ranks of which only registers show that they go on
	Calls   []Call        // of ranks inside MPI, in order of rank
	waiting bool          // some rank waits inside MPI
	file    bool          // some rank is in a call on a file
	client  bool          // some rank waits for a program that is none of the job's to connect
	absent  bool          // some rank has left nothing, or is awaited by those that start it
	longest time.Duration // longest standstill of a rank that ended by itself
	// Missing: some rank has left nothing. Open is how many MPI jobs of the recording are neither over nor killed; where there are some,
	// all else is about them.
	Missing bool
	Open    int
}

// Call is what a rank is in while it makes no progress.
type Call struct {
	Rank     int
	Function string        // of MPI
	For      time.Duration // how long the rank has made no progress
	Working  bool          // it is at work inside the call
	model.Activity
}

// Observer looks at one recording again and again. The zero value has not looked yet.
type Observer struct {
	host    string
	jobs    map[jobName]*jobObserver
	before  time.Time // of the last look
	resumed time.Time // see NoteResumed
}

// jobName tells the MPI jobs of a recording apart, by what their first rank knows.
type jobName struct{ world, starter uint64 }

// jobObserver remembers one MPI job.
type jobObserver struct {
	host string
	mute map[int]progress // of ranks that do not speak for themselves now
	// speaking is what ranks had done when they last spoke, kept while they are mute; since is zero if they had come as
	// far when they were seen first.
	speaking map[int]progress
}

// progress is what a rank had done when it was first seen to have done so much.
type progress struct {
	steps uint64
	since time.Time
}

// pause is the longest time between two looks after which the first still counts.
// If it was longer, laggard itself was stopped or starved.
const pause = time.Minute

// NoteResumed tells that this process did not run for a while, as it was stopped. The job may have been stopped with it, so
// a standstill counts from now on.
func (e *Observer) NoteResumed(now time.Time) { e.resumed = now }

// Look sums up the ranks of a running job. A rank that has left nothing yet makes
// no progress either; the others may wait for it in MPI_Init. Of several MPI jobs in one recording those that are over or killed count
// only where all are: the others stand still when all of them do.
func (e *Observer) Look(run *model.Run, now time.Time) Standstill {
	if e.jobs == nil || now.Sub(e.before) > pause {
		e.host, _ = os.Hostname() // without it, all ranks are of another host
		e.jobs = map[jobName]*jobObserver{}
	}
	e.before = now
	all := Standstill{Still: true, Over: true}
	for _, job := range run.Jobs() {
		if s := e.observerOf(job).lookAt(job, now); !s.Over && !s.Killed {
			all.add(s)
		} else if all.Open == 0 {
			all.Over, all.Killed = all.Over && s.Over, all.Killed || s.Killed
		}
	}
	all.Since, all.sure = laterOf(all.Since, e.resumed), laterOf(all.sure, e.resumed)
	return all
}

// add adds a job that is neither over nor killed.
func (s *Standstill) add(t Standstill) {
	s.Open++
	s.Still, s.Over, s.Killed = s.Still && t.Still, false, false
	s.Since, s.sure = laterOf(s.Since, t.Since), laterOf(s.sure, t.sure)
	s.Calls = append(s.Calls, t.Calls...)
	s.waiting, s.file, s.client = s.waiting || t.waiting, s.file || t.file, s.client || t.client
	s.absent, s.Missing, s.longest = s.absent || t.absent, s.Missing || t.Missing, max(s.longest, t.longest)
}

func (e *Observer) observerOf(job *model.Run) *jobObserver {
	var name jobName
	if len(job.Ranks) > 0 {
		name = jobName{job.Ranks[0].World, job.Ranks[0].Starter}
	}
	if e.jobs[name] == nil {
		e.jobs[name] = &jobObserver{e.host, map[int]progress{}, map[int]progress{}}
	}
	return e.jobs[name]
}

func (e *jobObserver) lookAt(run *model.Run, now time.Time) Standstill {
	missing := run.MissingRanks().Len() > 0
	s := Standstill{Still: true, absent: missing, Missing: missing}
	stopped, open, traced := 0, 0, false
	killed := true // all of those that have not ended
	for _, r := range run.Ranks {
		s.longest = max(s.longest, r.LongestQuiet)
		if r.Phase >= model.Finalized || r.End != model.NoEnd || r.Off {
			continue
		}
		open++
		since, state := e.quietState(r, now)
		if state == process.Stopped {
			stopped++
			traced = traced || process.IsTraced(r)
		}
		killed = killed && now.Sub(r.Heartbeat) > alive && process.IsLocal(r, e.host) && process.StateOf(r) == process.Gone
		if since.IsZero() {
			s.Still = false
			continue
		}
		if r.Active.After(since) && r.How != model.CopiesMemory {
			since = r.Active
		}
		s.sure = laterOf(s.sure, since)
		if r.Active.After(since) {
			since = r.Active
		}
		s.Since = laterOf(s.Since, since)
		for _, t := range r.Threads {
			s.waiting = s.waiting || t.Op.InMPI || t.Op.Kind == model.Poll
			s.addCall(r, t, now)
		}
	}
	s.Over, s.Killed = open == 0, open > 0 && killed
	if traced || open > 0 && stopped == open {
		s.Still = false // a rank is being debugged, or the job is suspended
	}
	return s
}

// addCall takes note of the call that a thread is in.
func (s *Standstill) addCall(r *model.Rank, t *model.Thread, now time.Time) {
	f := mpi.FindFunction(t.CurrentCall())
	if f == nil || r.QuietSince.IsZero() {
		return
	}
	s.file = s.file || f.OnFile()
	s.absent = s.absent || f.SpawnsProcesses()
	s.client = s.client || f.IsFormOf("MPI_Comm_accept")
	s.Calls = append(s.Calls, Call{
		Rank: r.Rank, Function: f.Name, For: now.Sub(r.QuietSince), Working: r.IsWorking(), Activity: r.Activity,
	})
}

// LongestCall is the call to tell a user about, of those that have lasted that long: one of a rank at work, one on a
// file, or the first; nil if there is none, or a rank makes progress.
func (s Standstill) LongestCall(least time.Duration) *Call {
	if !s.Still || s.Over {
		return nil
	}
	var best *Call
	weight := func(c *Call) int {
		switch f := mpi.FindFunction(c.Function); {
		case c.Working:
			return 2
		case f != nil && f.OnFile():
			return 1
		}
		return 0
	}
	for i := range s.Calls {
		if c := &s.Calls[i]; c.For >= least && (best == nil || weight(c) > weight(best)) {
			best = c
		}
	}
	return best
}

// String says how long a rank has been in the call, and what it does there.
func (c Call) String() string {
	text := fmt.Sprintf("rank %d has been in %s for %.0f s", c.Rank, c.Function, c.For.Seconds())
	if doing := c.Activity.String(); c.Working && doing != "" {
		text += ", " + doing
	}
	return text
}

// quietState tells since when a rank makes no progress, zero if it does, and what its
// process does, if that had to be looked at. What a rank says of itself holds while
// it keeps reporting that it is alive. That it does not proves nothing while its
// process is there: its page may be on its way to the disk. Then what it has done
// is compared with the looks before.
func (e *jobObserver) quietState(r *model.Rank, now time.Time) (time.Time, process.State) {
	silence, here := now.Sub(r.Heartbeat), process.IsLocal(r, e.host)
	if here && silence <= process.Fresh || !here && silence < unheard {
		delete(e.mute, r.Rank)
		return e.quietSince(r, now), process.Alive
	}
	state := process.Gone
	if here {
		state = process.StateOf(r)
	}
	if state != process.Alive {
		if r.QuietSince.IsZero() {
			return r.Heartbeat, state
		}
		return r.QuietSince, state
	}
	done := progress{progressSteps(r), now}
	if before, known := e.mute[r.Rank]; known && before.steps == done.steps {
		return before.since, state
	}
	if spoke, known := e.speaking[r.Rank]; known && spoke.steps == done.steps && !r.QuietSince.IsZero() {
		done.since = r.QuietSince // as it said while it spoke
	}
	e.mute[r.Rank] = done
	return done.since, state
}

// quietSince is since when a rank makes no progress by its own word; zero if it does, or was seen to go on after that.
func (e *jobObserver) quietSince(r *model.Rank, now time.Time) time.Time {
	done := progress{progressSteps(r), now}
	switch before, known := e.speaking[r.Rank]; {
	case !known:
		done.since = time.Time{}
	case before.steps == done.steps:
		done = before
	}
	e.speaking[r.Rank] = done
	if r.Heartbeat.Before(done.since) {
		return time.Time{}
	}
	return r.QuietSince
}

// Steps counts what the ranks of all jobs of a recording have done, empty polls left out.
func Steps(run *model.Run) (n uint64) {
	for _, job := range run.Jobs() {
		for _, r := range job.Ranks {
			n += progressSteps(r)
		}
	}
	return n
}

// progressSteps counts what the threads of a rank have done, empty polls left out.
func progressSteps(r *model.Rank) (n uint64) {
	for _, t := range r.Threads {
		n += 2 * t.Progress
		if t.Op.InMPI && t.Op.Kind != model.Poll && t.Op.Kind != model.Local {
			n++
		}
	}
	return n
}

// IsHung reports whether the job counts as hung. A job moves while a rank is active inside a call. A timeout that the
// user gave is taken as it is, but there are calls that wait for more than other ranks: one on a file has Patience,
// and a rank that has left nothing, which may still be on its way to MPI_Init, has a minute. With 0, nothing short of
// Patience, or of twice what the job has survived before, is a hang, and a job is at work if none of its ranks waits, or one
// waits for clients.
// A job that can never go on is asked about after a minute, or the user's timeout: certain reports whether it is one. Then
// registers that seem to go through memory prove nothing.
func (s Standstill) IsHung(timeout time.Duration, now time.Time, certain func() bool) bool {
	if !s.Still || s.Over || s.Killed || timeout == 0 && (!s.waiting || s.client) {
		return false
	}
	early, late := timeout, timeout
	if timeout == 0 {
		early = max(Timeout, 2*s.longest)
		late = max(Patience, early)
	}
	if s.absent {
		early, late = max(early, starting), max(late, starting)
	}
	if s.file {
		late = max(late, Patience)
	}
	return now.Sub(s.Since) >= late || now.Sub(s.sure) >= early && certain()
}

// IsCertainHang reports whether a job that has stood still for that long can never go on, as certain says. While a rank may
// still be on its way to MPI_Init it is not asked.
func (s Standstill) IsCertainHang(after time.Duration, now time.Time, certain func() bool) bool {
	return s.Still && !s.Over && !s.Killed && !s.absent && now.Sub(s.sure) >= after && certain()
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
