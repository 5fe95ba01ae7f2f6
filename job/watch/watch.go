package watch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"laggard/job/collect"
	"laggard/job/rundir"
	"laggard/job/sight"
	"laggard/job/standstill"
	"laggard/model"
	"laggard/model/process"
	"laggard/model/runfiles"
)

// Actions are what can be done with a hung job: Diagnose prints the diagnosis and
// ends it, Keep prints the diagnosis and leaves it, Dump only records.
var Actions = []string{Diagnose, Keep, Dump}

// The actions.
const (
	Diagnose = "diagnose"
	Keep     = "keep"
	Dump     = "dump"
)

// Limit reports whether what the job is at has a time limit of its own, which then alone
// says when it hangs, and what is over it; "": nothing is.
type Limit func(now time.Time) (own bool, over string)

// Watcher looks at the run directory while the job runs.
type Watcher struct {
	Dir     string                // the run directory
	Sight   *sight.Sight          // of the ranks of this node; nil: they are not watched
	Own     string                // where the file of this node is: Dir, or a directory of the node
	PID     int                   // of the launcher, or of rank 0's program
	OnHang  string                // one of Actions
	CanKeep bool                  // whether the command has --on-hang
	Timeout time.Duration         // see standstill.Standstill.Hangs
	Limit   Limit                 // nil: none
	Certain func(dir string) bool // reports whether the job with that run directory can never continue; nil: unknown
	// CertainAfter is after how long a standstill is asked about at the soonest, and counts as a hang if it is certain;
	// 0: as Timeout says.
	CertainAfter time.Duration
	Explain      func()                         // prints the diagnosis
	Look         func(now time.Time, hung bool) // is called after each look at the job; nil: nothing is
	End          func()                         // begins to end the job
	Say          io.Writer                      // where the user is told what is done
	why          string                         // it counts as hung
	limited      bool                           // by the limit of what it is at
	moved        int                            // looks in a row that saw a job that was left alone go on
	own          standstill.Observer            // on this node
	all          standstill.Observer
	verdict      certainty
	waited       time.Duration // during the present look, which costs nothing
	told         time.Duration // how long the call lasted about which the user was told last; 0: none
}

// Grace is how long a job has to end after SIGTERM.
const Grace = 10 * time.Second

// WatchUntil waits for the end of the job, and acts once if it hangs. It returns whether
// it did, and the error from done.
func (w *Watcher) WatchUntil(done <-chan error) (hung bool, err error) {
	pause := w.pauseAfter(time.Now())
	timer, due := time.NewTimer(pause), time.Now().Round(0).Add(pause)
	defer timer.Stop()
	for {
		select {
		case err := <-done:
			return hung, err
		case <-timer.C:
			if hung && w.OnHang != Keep || w.OnHang == Dump {
				continue // the timer is not set again: nothing left to look for
			}
			begin := time.Now()
			w.waited = 0
			if begin.Round(0).Sub(due) > overslept {
				w.all.NoteResumed(begin)
			}
			if hung {
				hung = !w.hasMovedAgain(begin)
			} else if w.isHung(begin) {
				hung = w.actOnHang()
			}
			if w.Look != nil {
				w.Look(begin, hung)
			}
			pause = w.pauseAfter(begin.Add(w.waited))
			due = time.Now().Round(0).Add(pause)
			timer.Reset(pause)
		}
	}
}

// overslept is how late a look is if this process, or the machine, was stopped in between.
const overslept = 5 * time.Second

// pauseAfter is how long to rest after a look that began then, so that looking
// takes at most a twentieth of a core.
func pauseAfter(begin time.Time) time.Duration {
	return max(time.Second, 20*time.Since(begin))
}

// pauseAfter is the same, but a fifth of a core where a standstill of a second or so is asked about.
func (w *Watcher) pauseAfter(begin time.Time) time.Duration {
	if w.CertainAfter == 0 {
		return pauseAfter(begin)
	}
	return max(min(w.CertainAfter, time.Second)/4, 5*time.Since(begin))
}

// isHung reports whether the job hangs now. What cannot be read yet is no hang.
func (w *Watcher) isHung(now time.Time) bool {
	w.why, w.limited = "the job makes no progress", false
	if w.Limit != nil {
		if own, over := w.Limit(now); own {
			w.why, w.limited = over, true
			return over != ""
		}
	}
	if w.Own == w.Dir {
		return w.standsStill(now)
	}
	if !w.standsStill(now) {
		return false
	}
	time.Sleep(withdrawal)
	w.waited = withdrawal
	return w.standsStill(now.Add(withdrawal))
}

// standsStill reports whether all ranks stand still. Those of this node are looked at
// first: while one of them moves, the files of other nodes are left in peace,
// which on a shared file system is what costs.
func (w *Watcher) standsStill(now time.Time) bool {
	if own := rundir.OpenOwn(w.Own); own != nil && !w.own.Look(own, now).Still {
		return false
	}
	run, err := runfiles.OpenPresent(w.Dir)
	if err != nil {
		return false
	}
	s := w.all.Look(run, now)
	if w.Own != w.Dir && s.Missing {
		return false // a node that shows nothing is at work (Keeper)
	}
	if w.reportLongCall(s); !s.Still {
		w.verdict = certainty{}
	}
	certain := func() bool { return s.Open == 1 && w.isCertainHang(now) } // of several jobs one is analysed
	return s.IsHung(w.Timeout, now, certain) || w.CertainAfter > 0 && s.IsCertainHang(w.CertainAfter, now, certain)
}

// certainty is the last answer of Watcher.Certain.
type certainty struct {
	certain bool
	until   time.Time // it is not asked again before
}

// reconsider is the least time between two questions to Watcher.Certain.
const reconsider = 10 * time.Second

// isCertainHang reports whether the job can never go on. The answer costs an analysis of all ranks, so it is kept for a while.
func (w *Watcher) isCertainHang(now time.Time) bool {
	if w.Certain != nil && now.After(w.verdict.until) {
		begin := time.Now()
		w.verdict.certain = w.Certain(w.Dir)
		w.verdict.until = now.Add(max(reconsider, 20*time.Since(begin)))
	}
	return w.verdict.certain
}

// reportLongCall tells the user about a call that lasts, after a minute and then each time that it has lasted twice as long.
func (w *Watcher) reportLongCall(s standstill.Standstill) {
	c := s.LongestCall(max(standstill.Timeout, 2*w.told))
	if c == nil {
		if s.LongestCall(0) == nil {
			w.told = 0
		}
		return
	}
	w.told = c.For
	fmt.Fprintf(w.Say, "laggard: %s\n", c)
}

// hasMovedAgain reports whether a job that was left alone makes progress again, and if so
// takes back that it hangs.
func (w *Watcher) hasMovedAgain(now time.Time) bool {
	run := w.readRun()
	if run == nil {
		return false
	}
	s := w.all.Look(run, now)
	if w.moved++; s.Still || s.Over {
		w.moved = 0
	}
	if w.moved < 2 { // processes that are being killed may move once more
		return false
	}
	w.moved = 0
	RetractHang(w.Dir, w.Say)
	return true
}

// readRun reads the records of a job that was found to hang; nil: there are none now.
func (w *Watcher) readRun() *model.Run {
	run := rundir.OpenOwn(w.Own)
	if w.Own == w.Dir {
		run, _ = runfiles.OpenPresent(w.Dir)
	}
	return run
}

// countSteps counts what the ranks of the job have done.
func (w *Watcher) countSteps() uint64 {
	if run := w.readRun(); run != nil {
		return standstill.Steps(run)
	}
	return 0
}

// RetractHang notes that a job that was found to hang continued by itself.
func RetractHang(dir string, say io.Writer) {
	fmt.Fprintf(say, "laggard: the job is making progress again\n")
	if err := rundir.ForgetHang(dir); err != nil {
		fmt.Fprintf(say, "laggard: %v\n", err)
	}
}

// actOnHang keeps the record as it is, prints the diagnosis and ends the job, as told. It reports whether the job still hangs: one that
// went on while it was diagnosed, which may take minutes, is not ended.
func (w *Watcher) actOnHang() bool {
	steps := w.countSteps()
	if w.Sight != nil {
		w.Sight.WriteNow()
	}
	if w.Own != w.Dir {
		_ = collect.CopyFiles(w.Own, w.Dir) // what was shown before is there
	}
	var outside []*model.Rank
	if run, err := runfiles.OpenPresent(w.Dir); err == nil {
		outside = sight.UnrecordedRanks(model.RunIDText(run.ID), run.MissingRanks())
	}
	if err := rundir.NoteHang(w.Dir, time.Now(), outside); err != nil {
		fmt.Fprintf(w.Say, "laggard: could not save a snapshot of the recording: %v\n", err)
	}
	fmt.Fprintf(w.Say, "laggard: %s\n\n", w.why)
	w.Explain()
	if w.OnHang != Diagnose {
		return true
	}
	if !w.limited && w.movedSince(steps) {
		return false
	}
	if w.CanKeep {
		fmt.Fprintf(w.Say, "\nlaggard: ending the job; --on-hang keep leaves it running\n")
	} else {
		fmt.Fprintf(w.Say, "\nlaggard: ending the job\n")
	}
	w.End()
	return true
}

// movedSince reports whether a job that hung has made progress since it had done so many steps: all may stand still again, but not for
// long. Else it is whether it makes progress now, in two looks as hasMovedAgain needs them.
func (w *Watcher) movedSince(steps uint64) bool {
	if w.countSteps() > steps {
		RetractHang(w.Dir, w.Say)
		return true
	}
	if w.hasMovedAgain(time.Now()) || w.moved == 0 {
		return false
	}
	time.Sleep(time.Second)
	return w.hasMovedAgain(time.Now())
}

// IsUnfinished reports whether a job that is over left ranks that did not finish.
func IsUnfinished(dir string) bool {
	run, err := runfiles.OpenPresent(dir)
	if err != nil {
		return false
	}
	return len(run.Unfinished) > 0 || slices.ContainsFunc(run.Ranks, func(r *model.Rank) bool { return r.Phase < model.Finalized })
}

// HasFailed waits until the ranks of this host have ended, no longer than Grace, and reports whether a rank of any job
// ended before MPI_Finalize in a way that says so: by a signal, MPI_Abort, or an exit status that is not 0.
func HasFailed(dir string) bool {
	host, err := os.Hostname()
	if err != nil {
		return false
	}
	run, err := runfiles.OpenPresent(dir)
	for end := time.Now().Add(Grace); err == nil && hasLivingRank(run, host) && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
		run, err = runfiles.OpenPresent(dir)
	}
	return err == nil && slices.ContainsFunc(ranksOf(run), func(r *model.Rank) bool {
		switch r.End {
		case model.NoEnd: // killed; of another host's rank nothing is known
			return r.Phase < model.Finalized && process.IsLocal(r, host) && !isLivingRank(r, host)
		case model.Exited:
			return r.Phase < model.Finalized && r.EndDetail != 0
		}
		return r.Phase < model.Finalized
	})
}

// hasLivingRank reports whether a rank of this host is still there.
func hasLivingRank(run *model.Run, host string) bool {
	return slices.ContainsFunc(ranksOf(run), func(r *model.Rank) bool { return isLivingRank(r, host) })
}

// ranksOf are those of all jobs of a recording.
func ranksOf(run *model.Run) (all []*model.Rank) {
	for _, job := range run.Jobs() {
		all = append(all, job.Ranks...)
	}
	return all
}

// isLivingRank reports whether the process of a rank can be seen from here, and is still there.
func isLivingRank(r *model.Rank, host string) bool {
	return process.IsLocal(r, host) && process.StateOf(r) != process.Gone
}

// HasRecord reports whether there is a record of any rank.
func HasRecord(dir string) bool {
	files, err := runfiles.ListPresent(dir)
	return err == nil && len(files.Files) > 0
}

// AwaitEnd tells when a process that is no child has ended.
func AwaitEnd(pid int) <-chan error {
	done := make(chan error, 1)
	go func() {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			done <- nil
			return
		}
		for {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
			if !errors.Is(err, unix.EINTR) {
				done <- nil
				return
			}
		}
	}()
	return done
}
