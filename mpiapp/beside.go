package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"laggard/job"
	"laggard/job/rundir"
	"laggard/job/watch"
)

// watchCommand is the watcher that exec leaves beside rank 0.
func (a *app) watchCommand() *cobra.Command {
	return a.besideCommand("watch PID RUNDIR", 1, func(r job.Recording, pid int, args []string) error {
		r.Dir = args[0]
		m, err := rundir.Manifest(r.Dir)
		if err != nil {
			return err
		}
		if r.ID, err = m.ID(); err != nil {
			return err
		}
		hung, err := r.Beside(pid, func() { a.explain(r) })
		if err == nil && !hung && r.OnHang != watch.Dump && watch.Failed(r.Dir) {
			a.failed(r, false)
		}
		return err
	})
}

// keepCommand is the keeper that exec leaves on a node.
func (a *app) keepCommand() *cobra.Command {
	return a.besideCommand("keep PID RUNDIR RUNID", 2, func(r job.Recording, pid int, args []string) (err error) {
		r.Dir = args[0]
		if r.ID, err = strconv.ParseUint(args[1], 16, 64); err != nil {
			return usageError{err}
		}
		signal.Ignore(syscall.SIGINT, syscall.SIGHUP) // meant for the ranks, as well
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		return r.Keep(watch.End(pid), signals, 0)
	})
}

// besideCommand is a hidden command for startBeside: a process that exec leaves
// beside a rank's program, so that nothing of laggard is between the launcher and
// the program. It is given the program's process, and n arguments more.
func (a *app) besideCommand(use string, n int,
	body func(r job.Recording, pid int, args []string) error) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:    use,
		Hidden: true,
		Args:   cobra.ExactArgs(1 + n),
		RunE: func(cmd *cobra.Command, args []string) error {
			pid, err := strconv.Atoi(args[0])
			if err != nil {
				return usageError{err}
			}
			r, err := a.recording(f, cmd)
			if err != nil {
				return err
			}
			signal.Ignore(syscall.SIGUSR1, syscall.SIGUSR2) // meant for the ranks
			return body(r, pid, args[1:])
		},
	}
	f.register(cmd)
	return cmd
}

// startBeside starts such a process for the program this one is about to become.
func (a *app) startBeside(r job.Recording, words ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{
		words[0], "--on-hang", r.OnHang, "--timeout", r.Timeout.String(), "--live-dir", r.LiveDir,
		strconv.Itoa(os.Getpid()),
	}
	if a.config != "" {
		args = append([]string{"--config", a.config}, args...)
	}
	w := exec.Command(self, append(args, words[1:]...)...)
	w.Stdout, w.Stderr = os.Stderr, os.Stderr
	w.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a launcher that kills the group of a rank spares it
	return w.Start()
}

// explain prints the diagnosis of a job that hangs beside the job's own output,
// and what it does wrongly if that was recorded.
func (a *app) explain(r job.Recording) {
	_ = a.explained(r)
	if slices.Contains(r.Record, "usage") {
		fmt.Fprintln(a.err)
		_, _ = a.wrongUse(r.Dir)
	}
}
