package main

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"laggard/model"
	"laggard/model/process"
)

// watcher looks at the run directory while the job runs.
type watcher struct {
	app   *app
	flags runFlags
	dir   string
	own   string // where the file of this node is, dir or below its live_dir
	pid   int    // of the launcher, or of the program
}

// graceful is how long the job has to end after SIGTERM.
const graceful = 10 * time.Second

// until waits for the end of the job, and acts once if it hangs. A signal that
// reaches only laggard is handed to the job.
func (w watcher) until(done <-chan error, signals <-chan os.Signal) (hung bool, err error) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for {
		select {
		case err := <-done:
			return hung, err
		case s := <-signals:
			if s == syscall.SIGTERM || s == syscall.SIGHUP {
				_ = syscall.Kill(w.pid, s.(syscall.Signal))
			}
		case <-timer.C:
			if hung || w.flags.onHang == "dump" {
				continue // the timer is not set again: nothing left to look for
			}
			begin := time.Now()
			if hung = w.look(begin); hung {
				w.act(done)
			}
			timer.Reset(pauseAfter(begin))
		}
	}
}

// pauseAfter is how long to rest after a look that began then: never is it more
// than a twentieth of a core.
func pauseAfter(begin time.Time) time.Duration {
	return max(time.Second, 20*time.Since(begin))
}

// look tells whether the job hangs now. What cannot be read yet is no hang.
func (w watcher) look(now time.Time) bool {
	if w.flags.liveDir == "" {
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
func (w watcher) stands(now time.Time) bool {
	if own := openOwn(w.own); own != nil && !lookAt(own, now).still {
		return false
	}
	run, err := model.Open(w.dir)
	if err != nil || w.flags.liveDir != "" && run.Missing().Len() > 0 {
		return false // a node that shows nothing is at work (keeper)
	}
	return lookAt(run, now).hung(w.flags.timeout, now)
}

// act prints the diagnosis and ends the job, as told.
func (w watcher) act(done <-chan error) {
	fmt.Fprintf(w.app.err, "laggard: the job makes no progress\n\n")
	shown := diagnoseFlags{}
	sub := *w.app
	sub.out = w.app.err
	if err := sub.diagnose(shown, w.dir); err != nil {
		w.app.code(err)
	}
	if slices.Contains(w.flags.record, "usage") {
		fmt.Fprintln(w.app.err)
		_, _ = w.app.wrongUse(w.dir)
	}
	if w.flags.onHang != "diagnose" {
		return
	}
	fmt.Fprintf(w.app.err, "\nlaggard: ending the job; --on-hang keep would leave it\n")
	end(w.pid, w.dir)
}

// end ends a job: the launcher is asked to, and what is left of it is killed.
func end(pid int, dir string) {
	_ = syscall.Kill(pid, syscall.SIGTERM)
	go func() {
		time.Sleep(graceful)
		killRanks(dir)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}()
}

// killRanks kills the ranks of this host that still run: a stopped process, for
// instance, does not end when its launcher asks it to.
func killRanks(dir string) {
	host, err := os.Hostname()
	if err != nil {
		return
	}
	run, err := model.Open(dir)
	if err != nil {
		return
	}
	for _, r := range run.Ranks {
		if r.Host == host && process.Of(r) != process.Gone {
			_ = syscall.Kill(r.PID, syscall.SIGKILL)
		}
	}
}

// watchCommand is the watcher that exec leaves beside rank 0.
func (a *app) watchCommand() *cobra.Command {
	return a.besideCommand("watch PID RUNDIR", 1, func(f runFlags, pid int, args []string) (err error) {
		w := watcher{app: a, flags: f, dir: args[0], own: args[0], pid: pid}
		if f.liveDir != "" {
			if w.own, err = liveOf(f.liveDir, w.dir); err != nil {
				return err
			}
		}
		_, err = w.until(gone(pid), nil)
		return err
	})
}
