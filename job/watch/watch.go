package watch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"laggard/job/attach"
	"laggard/job/collect"
	"laggard/job/rundir"
	"laggard/job/sight"
	"laggard/job/standstill"
	"laggard/model"
	"laggard/model/process"
	"laggard/symbol"
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

// Limit tells whether what the job is at has a time limit of its own, which then alone
// says when it hangs, and what is over it; "": nothing is.
type Limit func(now time.Time) (own bool, over string)

// NamesOf makes what names the code and the variables of the ranks of a run directory that hang.
type NamesOf func(dir string) *symbol.Resolver

// Watcher looks at the run directory while the job runs.
type Watcher struct {
	Dir      string         // the run directory
	Sight    *sight.Sight   // of the ranks of this node; nil: nobody watches them
	Own      string         // where the file of this node is: Dir, or a directory of the node
	PID      int            // of the launcher, or of rank 0's program
	OnHang   string         // one of Actions
	Timeout  time.Duration  // see standstill.Standstill.Hangs
	Limit    Limit          // nil: none
	Explain  func()         // prints the diagnosis
	Resolver NamesOf        // of the variables whose values are noted; nil: none are
	Say      io.Writer      // where the user is told what is done
	why      string         // it counts as hung
	moved    int            // looks in a row that saw a job that was left alone go on
	own      standstill.Eye // on this node
	all      standstill.Eye
}

// Grace is how long a job has to end after SIGTERM.
const Grace = 10 * time.Second

// Until waits for the end of the job, and acts once if it hangs. It returns whether
// it did, and the error from done. Of the signals it passes on to the job those
// that only laggard may have got.
func (w *Watcher) Until(done <-chan error, signals <-chan os.Signal) (hung bool, err error) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for {
		select {
		case err := <-done:
			return hung, err
		case s := <-signals:
			if s == syscall.SIGTERM || s == syscall.SIGHUP || !inForeground() {
				_ = syscall.Kill(w.PID, s.(syscall.Signal))
			}
		case <-timer.C:
			if hung && w.OnHang != Keep || w.OnHang == Dump {
				continue // the timer is not set again: nothing left to look for
			}
			begin := time.Now()
			if hung {
				hung = !w.goesOn(begin)
			} else if hung = w.hangs(begin); hung {
				w.act()
			}
			timer.Reset(pauseAfter(begin))
		}
	}
}

// inForeground tells whether this process group is the one that a terminal's interrupt
// reaches: then the launcher has got it, too.
func inForeground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// pauseAfter is how long to rest after a look that began then, so that looking
// takes at most a twentieth of a core.
func pauseAfter(begin time.Time) time.Duration {
	return max(time.Second, 20*time.Since(begin))
}

// hangs tells whether the job hangs now. What cannot be read yet is no hang.
func (w *Watcher) hangs(now time.Time) bool {
	w.why = "the job makes no progress"
	if w.Limit != nil {
		if own, over := w.Limit(now); own {
			w.why = over
			return over != ""
		}
	}
	if w.Own == w.Dir {
		return w.stands(now)
	}
	if !w.stands(now) {
		return false
	}
	time.Sleep(withdrawal)
	return w.stands(now.Add(withdrawal))
}

// stands tells whether all ranks stand still. Those of this node are looked at
// first: while one of them moves, the files of other nodes are left in peace,
// which on a shared file system is what costs.
func (w *Watcher) stands(now time.Time) bool {
	if own := rundir.OpenOwn(w.Own); own != nil && !w.own.Look(own, now).Still {
		return false
	}
	run, err := model.OpenPresent(w.Dir)
	if err != nil || w.Own != w.Dir && run.Missing().Len() > 0 {
		return false // a node that shows nothing is at work (Keeper)
	}
	return w.all.Look(run, now).Hangs(w.Timeout, now)
}

// goesOn tells whether a job that was left alone makes progress again, and if so
// takes back that it hangs.
func (w *Watcher) goesOn(now time.Time) bool {
	run := rundir.OpenOwn(w.Own)
	if w.Own == w.Dir {
		run, _ = model.OpenPresent(w.Dir)
	}
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
	TakeBack(w.Dir, w.Say)
	return true
}

// TakeBack notes that a job which was noticed to hang went on by itself.
func TakeBack(dir string, say io.Writer) {
	fmt.Fprintf(say, "laggard: the job goes on\n")
	if err := rundir.ForgetHang(dir); err != nil {
		fmt.Fprintf(say, "laggard: %v\n", err)
	}
}

// act keeps the record as it is, prints the diagnosis and ends the job, as told.
func (w *Watcher) act() {
	if w.Sight != nil {
		w.Sight.Tell()
	}
	if w.Own != w.Dir {
		_ = collect.Show(w.Own, w.Dir) // what was shown before is there
	}
	var outside []*model.Rank
	if run, err := model.OpenPresent(w.Dir); err == nil {
		outside = sight.Outside(model.RunIDText(run.ID), run.Missing())
	}
	if err := rundir.NoteHang(w.Dir, time.Now(), outside); err != nil {
		fmt.Fprintf(w.Say, "laggard: the record is not kept as it is now: %v\n", err)
	} else if w.Resolver != nil {
		w.noteValues()
	}
	fmt.Fprintf(w.Say, "laggard: %s\n\n", w.why)
	w.Explain()
	if w.OnHang == Diagnose {
		fmt.Fprintf(w.Say, "\nlaggard: ending the job; --on-hang keep would leave it\n")
		end(w.PID, w.Dir)
	}
}

// noteValues keeps what variables hold beside the record as it is now.
func (w *Watcher) noteValues() {
	if _, err := attach.NoteValues(w.Dir, w.Resolver(w.Dir)); err != nil {
		fmt.Fprintf(w.Say, "laggard: the values of variables are not noted: %v\n", err)
	}
}

// end ends a job: the launcher is asked to, and what is left of it is killed.
func end(pid int, dir string) {
	_ = syscall.Kill(pid, syscall.SIGTERM)
	go func() {
		time.Sleep(Grace)
		KillRanks(dir)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}()
}

// KillRanks kills the ranks of this host that still run. A stopped process, for
// instance, does not end when its launcher asks it to.
func KillRanks(dir string) {
	host, err := os.Hostname()
	if err != nil {
		return
	}
	run, err := model.OpenPresent(dir)
	if err != nil {
		return
	}
	for _, r := range run.Ranks {
		if lives(r, host) {
			_ = syscall.Kill(r.PID, syscall.SIGKILL)
		}
	}
}

// Unfinished tells whether a job that is over left ranks that did not finish.
func Unfinished(dir string) bool {
	run, err := model.OpenPresent(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(run.Ranks, func(r *model.Rank) bool { return r.Phase < model.Finalized })
}

// Failed waits until the ranks of this host have ended, no longer than Grace, and tells whether a rank
// ended before MPI_Finalize in a way that says so: by a signal, MPI_Abort, or an exit status that is not 0.
func Failed(dir string) bool {
	host, err := os.Hostname()
	if err != nil {
		return false
	}
	run, err := model.OpenPresent(dir)
	for end := time.Now().Add(Grace); err == nil && living(run, host) && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
		run, err = model.OpenPresent(dir)
	}
	return err == nil && slices.ContainsFunc(run.Ranks, func(r *model.Rank) bool {
		switch r.End {
		case model.NoEnd: // killed; of another host's rank nothing is known
			return r.Phase < model.Finalized && process.Here(r, host) && !lives(r, host)
		case model.Exited:
			return r.Phase < model.Finalized && r.EndDetail != 0
		}
		return r.Phase < model.Finalized
	})
}

// living tells whether a rank of this host is still there.
func living(run *model.Run, host string) bool {
	return slices.ContainsFunc(run.Ranks, func(r *model.Rank) bool { return lives(r, host) })
}

// lives tells whether the process of a rank can be seen from here, and is still there.
func lives(r *model.Rank, host string) bool {
	return process.Here(r, host) && process.Of(r) != process.Gone
}

// Recorded tells whether there is a record of any rank.
func Recorded(dir string) bool {
	files, err := model.ListPresent(dir)
	return err == nil && len(files.Files) > 0
}

// End tells when a process that is no child has ended.
func End(pid int) <-chan error {
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
