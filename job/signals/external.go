package signals

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// The real-time signals that programs may use.
const firstRealTime, lastRealTime syscall.Signal = 34, 64

// ExternalSignals lists the signals that users, batch systems and terminals send to a job. Missing are those that the kernel
// sends because of what a process does itself, those that the Go runtime needs, and those that cannot be caught.
func ExternalSignals() []os.Signal {
	all := []os.Signal{
		unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGABRT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGTERM,
		unix.SIGSTKFLT, unix.SIGCONT, unix.SIGTSTP, unix.SIGXCPU, unix.SIGXFSZ, unix.SIGVTALRM, unix.SIGIO, unix.SIGPWR,
	}
	for s := firstRealTime; s <= lastRealTime; s++ {
		all = append(all, s)
	}
	return all
}

// releasedSignals lists those that a relay gives back when it stops: by them users and batch systems end or suspend what laggard
// does after the job.
func releasedSignals() []os.Signal {
	return []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGTSTP, unix.SIGXCPU}
}

// keepOthersCaught has the other external signals do nothing to this process from now on. The Go runtime takes a signal,
// and gives it back, in a thread of its own: some 40 µs for each of 41 signals, at the end of every job.
var keepOthersCaught = sync.OnceFunc(func() {
	others := slices.DeleteFunc(ExternalSignals(), func(s os.Signal) bool { return slices.Contains(releasedSignals(), s) })
	signal.Notify(make(chan os.Signal, 1), others...)
})

// NotIgnored lists those of some signals that this process was not started to ignore, as nohup starts one.
func NotIgnored(some ...os.Signal) []os.Signal {
	return slices.DeleteFunc(some, func(s os.Signal) bool { return slices.Contains(ignored(), s) })
}

// ignored lists the signals that this process was started to ignore. The Go runtime keeps SIGHUP and SIGINT only. Who
// ignores SIGINT is taken to ignore SIGQUIT: a shell without job control starts a command with & like that.
var ignored = sync.OnceValue(func() (list []os.Signal) {
	if signal.Ignored(unix.SIGHUP) {
		list = append(list, unix.SIGHUP)
	}
	if signal.Ignored(unix.SIGINT) {
		list = append(list, unix.SIGINT, unix.SIGQUIT)
	}
	return list
})

// keepIgnored has this process, and those that it starts, ignore what it was started to ignore.
func keepIgnored() {
	if list := ignored(); len(list) > 0 { // of none, Ignore makes all
		signal.Ignore(list...)
	}
}

// SignalName is the name of a signal, as in SIGTERM or SIGRTMIN+1.
func SignalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("SIGRTMIN+%d", s-firstRealTime)
}
