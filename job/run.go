package job

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

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
	finish := r.keepBeside()
	hung, err = r.Watch(child.Process.Pid, explain, done, signals)
	finish()
	return hung, err
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

func (r *Recording) announce() { fmt.Fprintf(r.Say, "laggard: recording in %s\n", r.Dir) }

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
