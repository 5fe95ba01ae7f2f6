package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"laggard/job"
	"laggard/job/ending"
	"laggard/job/rundir"
	"laggard/job/signals"
	"laggard/job/watch"
)

// nodeHelpers are hidden commands for the processes that look after a job on each node.
type nodeHelpers struct{ *app }

// watchCommand is the watcher that exec leaves beside rank 0.
func (a nodeHelpers) watchCommand() *cobra.Command {
	return a.helperCommand("watch PID RUNDIR", 1, func(r job.Recording, p ending.Process, args []string) error {
		r.Dir = args[0]
		m, err := rundir.ReadManifest(r.Dir)
		if err != nil {
			return err
		}
		if r.ID, err = m.ID(); err != nil {
			return err
		}
		hung, err := r.WatchBeside(p.PID, func() { jobDiagnosis(a).printFindings(r, true) })
		if err == nil && !hung && r.OnHang != watch.Dump && watch.HasFailed(r.Dir) {
			a.reportFailure(r, false)
		}
		return err
	})
}

// nodeHelperCommands are the processes that look after one node: keep after its files, node after its ranks once the
// first of them has ended, guard after the job of a laggard run that was killed.
func (a nodeHelpers) nodeHelperCommands() (out []*cobra.Command) {
	for name, body := range map[string]func(r job.Recording, p ending.Process) error{
		"keep": keepNodeFiles, "node": func(r job.Recording, _ ending.Process) error { return r.GuardNodeRanks() },
		"guard": func(r job.Recording, p ending.Process) error { return r.EndOrphanedJob(p) },
	} {
		out = append(out, a.helperCommand(name+" PID RUNDIR RUNID", 2,
			func(r job.Recording, p ending.Process, args []string) (err error) {
				r.Dir = args[0]
				if r.ID, err = strconv.ParseUint(args[1], 16, 64); err != nil {
					return usageError{err}
				}
				return body(r, p)
			}))
	}
	return out
}

func keepNodeFiles(r job.Recording, p ending.Process) error {
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM) // SIGKILL may follow
	return r.KeepNodeFiles(watch.AwaitEnd(p.PID), ends, 0)
}

// helperCommand is a hidden command for startHelper: a process that exec leaves
// beside a rank's program, so that nothing of laggard is between the launcher and
// the program. It is given the program's process as PID:START, and n arguments more.
func (a nodeHelpers) helperCommand(use string, n int,
	body func(r job.Recording, p ending.Process, args []string) error) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:    use,
		Hidden: true,
		Args:   cobra.ExactArgs(1 + n),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := ending.ParseProcess(args[0])
			if err != nil {
				return usageError{err}
			}
			if session, err := unix.Getsid(0); err == nil && session != os.Getpid() {
				return startApart()
			}
			r, err := a.newRecording(f, cmd)
			if err != nil {
				return err
			}
			signal.Ignore(signals.ExternalSignals()...) // they are meant for the ranks
			_ = ending.NameHelper(cmd.Name())
			return body(r, p, args[1:])
		},
	}
	f.register(cmd)
	return cmd
}

// settingsArguments are the flags by which another process of laggard has the settings of this one.
func (a *app) settingsArguments() (args []string) {
	if a.config != "" {
		args = append(args, "--config", a.config)
	}
	for _, s := range a.overrides {
		args = append(args, "--set", s)
	}
	return args
}

// helperArguments is the command line of such a process: a hidden command, its process, and what follows.
func (a nodeHelpers) helperArguments(r job.Recording, words ...string) []string {
	args := append(os.Args[:1:1], a.settingsArguments()...)
	args = append(args, words[0], "--on-hang", r.OnHang, "--timeout", r.Timeout.String(), "--live-dir", r.LiveDir,
		"--kill-after", r.KillAfter.String())
	if r.Speed != nil {
		args = append(args, "--on-slow", r.Speed.Command, "--metrics", r.Speed.MetricsFile)
	}
	return append(args, words[1:]...)
}

// startHelper starts such a process for the program this one is about to become. That must not have a child which it did
// not start: a program that waits until it has none would wait for the one that waits for its end. So the process that is
// started here starts the one that stays, in a session of its own, and ends.
func (a nodeHelpers) startHelper(r job.Recording, words ...string) error {
	words = slices.Insert(words, 1, ending.Identify(os.Getpid()).String())
	return selfCommandOnStderr(a.helperArguments(r, words...)[1:]).Run()
}

func selfCommandOnStderr(arguments []string) *exec.Cmd {
	cmd := selfCommand(context.Background(), arguments...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd
}

// politeness is the nice value of the processes beside a rank. It is not the greatest one, since nobody but root can take
// it back, and a diagnosis has to be ready in time on a node whose processors are all busy with a hung job.
const politeness = 10

// startApart starts this process once more, in a session of its own and on any processor of the job: the launcher may have
// bound the rank to one, and what is done beside the rank would delay it there.
func startApart() error {
	runtime.LockOSThread() // what follows is for this thread, and for what it starts
	var all unix.CPUSet
	for cpu := range len(all) * 64 {
		all.Set(cpu)
	}
	_ = unix.SchedSetaffinity(0, &all) // the kernel knows which of them the job may use
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, politeness)
	cmd := selfCommandOnStderr(os.Args[1:])
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a launcher that kills the group of a rank spares it
	return cmd.Start()
}
