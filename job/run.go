package job

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"laggard/job/sight"
	"laggard/job/watch"
)

// watched tells exec behind the launcher that run watches the job.
const watched = "LAGGARD_WATCHED"

// Run runs a prepared job until its launcher, found at path, has ended, and
// returns how, as exec.Cmd.Wait does. explain is called once if the job hangs.
func (r *Recording) Run(path string, command []string, explain func()) (hung bool, err error) {
	child, err := r.Command(path, command, map[string]string{watched: "1"})
	if err != nil {
		return false, err
	}
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := catch()
	if err := child.Start(); err != nil {
		return false, err
	}
	r.announce()
	done := make(chan error, 1)
	go func() { done <- child.Wait() }()
	seen, kept := r.watchNode(), r.keepBeside()
	hung, err = r.Watch(child.Process.Pid, explain, done, signals)
	seen()
	kept()
	if hung && r.OnHang == watch.Keep && !watch.Unfinished(r.Dir) {
		watch.TakeBack(r.Dir, r.Say)
		hung = false
	}
	return hung, err
}

// Beside watches a job from beside its rank 0, whose program has that process
// number, until that has ended, and tells whether it hung.
func (r *Recording) Beside(pid int, explain func()) (hung bool, err error) {
	seen := r.watchNode()
	hung, err = r.Watch(pid, explain, watch.End(pid), nil)
	seen()
	return hung, err
}

// Status is the exit status that passes on how a launcher ended, from the error that
// Run returned; with 0, any other error.
func Status(err error) (int, error) {
	var exit *exec.ExitError
	if err == nil || !errors.As(err, &exit) {
		return 0, err
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), nil
	}
	return exit.ExitCode(), nil
}

// catch takes the signals that would end laggard. A terminal's interrupt reaches
// the launcher too, and it decides. A reader of stderr that went away must not keep
// a hung job from being ended.
func catch() <-chan os.Signal {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 8)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // nohup: the job shall ignore it too
			signal.Notify(signals, s)
		}
	}
	return signals
}

func (r *Recording) announce() {
	if !r.Quiet {
		fmt.Fprintf(r.Say, "laggard: recording in %s\n", r.Dir)
	}
}

// keepBeside looks after the files of this node meanwhile; the function it returns
// waits until they are where they belong.
func (r *Recording) keepBeside() (finish func()) {
	if r.LiveDir == "" {
		return func() {}
	}
	over, kept := make(chan error), make(chan error)
	go func() { kept <- r.Keep(over, nil, watch.Grace) }()
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
	r.sight = sight.New(r.own())
	go func() { r.sight.Until(over); close(seen) }()
	return func() {
		close(over)
		<-seen
	}
}
