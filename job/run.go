package job

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"laggard/job/ending"
	"laggard/job/sight"
	"laggard/job/signals"
	"laggard/job/watch"
	"laggard/model/process"
)

// watched tells exec behind the launcher that run watches the job.
const watched = "LAGGARD_WATCHED"

// Run runs a prepared job until its launcher, found at path, has ended, and
// returns how, as exec.Cmd.Wait does. explain is called once if the job hangs.
func (r *Recording) Run(path string, command []string, explain func()) (hung bool, err error) {
	child, err := r.LauncherCommand(path, command, map[string]string{watched: "1"})
	if err != nil {
		return false, err
	}
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	if r.Output != nil {
		child.Stdin, child.Stdout, child.Stderr = nil, r.Output, r.Output
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader of stderr that goes away must not end laggard
	relay := signals.CatchSignals()
	children := ending.AdoptOrphans()
	defer children.Stop()
	if err := child.Start(); err != nil {
		relay.Stop()
		return false, err
	}
	r.relaySignals(relay, child.Process, child.Args) // with the options that pass the environment on
	first := ending.Identify(child.Process.Pid)
	children.StartReaping(first.PID)
	guard := r.startGuard(first)
	defer guard.Dismiss()
	r.printRunDir()
	done := make(chan error, 1)
	go func() { done <- child.Wait() }()
	seen, kept := r.watchNode(), r.keepBesideLauncher()
	job := r.localJob(first)
	job.Adopted = children
	begin, wait := r.endInBackground(func() []ending.Leftover { return r.endEverywhere(job, 0, doNothing) })
	hung, err = r.WatchJob(child.Process.Pid, explain, begin, done)
	told := relay.Stop()
	r.noteLauncher(child.ProcessState)
	if hung && r.OnHang == watch.Diagnose {
		wait()
	} else {
		r.endRemaining(job, told, child.ProcessState)
	}
	seen()
	kept()
	if hung && r.OnHang == watch.Keep && !watch.IsUnfinished(r.Dir) {
		watch.RetractHang(r.Dir, r.Say)
		hung = false
	}
	return hung, err
}

// noteLauncher records how the launcher ended.
func (r *Recording) noteLauncher(s *os.ProcessState) {
	l := process.Launcher{Status: s.ExitCode(), Ended: time.Now().UTC()}
	if by := signalOf(s); by != 0 {
		l.Signal, l.Status = int(by), 128+int(by)
	}
	if err := l.Write(r.Dir); err != nil {
		fmt.Fprintf(r.Say, "laggard: could not record how the launcher ended: %v\n", err)
	}
}

// WatchBeside watches a job from beside its rank 0, whose program has that process
// number, until that has ended, and reports whether it hung.
func (r *Recording) WatchBeside(pid int, explain func()) (hung bool, err error) {
	seen := r.watchNode()
	job := r.localJob(ending.Identify(pid))
	begin, wait := r.endInBackground(func() []ending.Leftover { return r.endBesideRankZero(job) })
	hung, err = r.WatchJob(pid, explain, begin, watch.AwaitEnd(pid))
	if hung && r.OnHang == watch.Diagnose {
		wait()
	}
	seen()
	return hung, err
}

// ExitStatus is the exit status that passes on how a launcher ended, from the error that
// Run returned; with 0, any other error.
func ExitStatus(err error) (int, error) {
	if s := EndedBy(err); s != 0 {
		return 128 + int(s), nil
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, err
	}
	return exit.ExitCode(), nil
}

// EndedBy is the signal that ended the launcher, from the error that Run returned; 0: none did.
func EndedBy(err error) syscall.Signal {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0
	}
	return signalOf(exit.ProcessState)
}

// signalOf is the signal that ended a process; 0: none did.
func signalOf(s *os.ProcessState) syscall.Signal {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal()
	}
	return 0
}

// relaySignals has signals passed on to the launcher and noted in the run directory.
func (r *Recording) relaySignals(relay *signals.Relay, launcher *os.Process, command []string) {
	err := relay.Start(launcher, command, func(a process.ReceivedSignal) {
		if err := process.AppendSignal(r.Dir, a); err != nil {
			fmt.Fprintf(r.Say, "laggard: could not record %s: %v\n", a.Name, err)
		}
	})
	if err != nil {
		fmt.Fprintf(r.Say, "laggard: signals to the process group will reach the launcher twice: %v\n", err)
	}
}

func (r *Recording) printRunDir() {
	if !r.Quiet {
		fmt.Fprintf(r.Say, "laggard: recording in %s\n", r.Dir)
	}
}

// keepBesideLauncher looks after the files of this node meanwhile; the function it returns
// waits until they are where they belong.
func (r *Recording) keepBesideLauncher() (finish func()) {
	if r.LiveDir == "" {
		return func() {}
	}
	over, kept := make(chan error), make(chan error)
	go func() { kept <- r.KeepNodeFiles(over, nil, watch.Grace) }()
	return func() {
		close(over)
		if err := <-kept; err != nil {
			fmt.Fprintf(r.Say, "laggard: %v\n", err)
		}
	}
}

// watchNode watches the processes of this node meanwhile; the function it returns
// waits until they have ended.
func (r *Recording) watchNode() (finish func()) {
	over, seen := make(chan struct{}), make(chan struct{})
	r.sight = sight.New(r.nodeFileDir())
	go func() { r.sight.WatchUntil(over); close(seen) }()
	return func() {
		close(over)
		<-seen
	}
}
