package signals

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"laggard/model/process"
)

// glance is the pause between two looks at the witness while a signal is to be judged.
const glance = 5 * time.Millisecond

// suspending is how long a launcher may take to stop upon SIGTSTP.
const suspending = 2 * time.Second

// Relay passes signals on to a launcher.
type Relay struct {
	launcher *os.Process
	note     func(process.ReceivedSignal) // is told of each signal
	signals  chan os.Signal
	hearing  groupWitness
	open     []arrival // not decided yet, in their order
	asked    time.Time // the launcher was asked to stop; zero: it was not, or that is over
	endAsked bool      // a signal asked the job to end
	over     chan chan struct{}
}

// arrival is a signal that this process got.
type arrival struct {
	signal syscall.Signal
	at     time.Time
}

// CatchSignals holds back the external signals that reach this process. Start then passes them on. Those that this process
// was started to ignore stay so, for the launcher inherits that.
func CatchSignals() *Relay {
	keepIgnored()
	r := &Relay{signals: make(chan os.Signal, 64), over: make(chan chan struct{})}
	signal.Notify(r.signals, NotIgnored(ExternalSignals()...)...)
	keepOthersCaught()
	return r
}

// Start begins to pass signals on to a launcher, which has just been started with that command line. note is called
// for each signal, by one goroutine. An error says that signals to the process group reach the launcher twice.
func (r *Relay) Start(launcher *os.Process, command []string, note func(process.ReceivedSignal)) error {
	r.launcher, r.note = launcher, note
	signal.Notify(r.signals, ExternalSignals()...) // the launcher may heed what it was started to ignore
	err := r.hearing.start(command)
	go r.run()
	return err
}

// Stop ends the relay when the launcher has ended, or was not started: the signals that end or suspend a program do so
// to this one, and the others do nothing. It returns when all that came before are noted, and reports whether one of them asked the
// job to end.
func (r *Relay) Stop() (told bool) {
	signal.Stop(r.signals)
	keepIgnored()
	if r.launcher == nil {
		return false
	}
	done := make(chan struct{})
	r.over <- done
	<-done
	return r.endAsked
}

func (r *Relay) run() {
	look := time.NewTicker(glance)
	for {
		select {
		case s := <-r.signals:
			r.addArrival(s)
			look.Reset(glance)
		case <-look.C:
		case done := <-r.over:
			r.noteRemaining()
			close(done)
			return
		}
		r.decideArrivals(time.Now())
		r.stopWithLauncher()
		if len(r.open) == 0 && r.asked.IsZero() {
			look.Stop()
		}
	}
}

func (r *Relay) addArrival(s os.Signal) {
	now := time.Now()
	r.open = append(r.open, arrival{s.(syscall.Signal), now})
	if s == unix.SIGCONT {
		r.asked = time.Time{}
		r.hearing.noteResumed(now)
	}
}

// decideArrivals decides about the signals that can be decided about now.
func (r *Relay) decideArrivals(now time.Time) {
	r.hearing.pollWitness()
	r.open = slices.DeleteFunc(r.open, func(a arrival) bool {
		whole := r.hearing.matchArrival(a) && r.isLauncherInGroup()
		if !whole && !r.hearing.isForSelfOnly(now.Sub(a.at)) {
			return false
		}
		if !whole {
			_ = r.launcher.Signal(a.signal)
		}
		r.noteArrival(a, whole)
		if a.signal == unix.SIGTSTP {
			r.asked = now
		}
		return true
	})
}

// isLauncherInGroup reports whether the launcher is still in this process's group, whose signals the witness gets. timeout(1) makes a
// group of its own; without laggard it would lead that of the terminal.
func (r *Relay) isLauncherInGroup() bool {
	group, err := unix.Getpgid(r.launcher.Pid)
	return err != nil || group == unix.Getpgrp()
}

func (r *Relay) noteArrival(a arrival, whole bool) {
	r.endAsked = r.endAsked || process.AsksToEnd(int(a.signal))
	r.note(process.ReceivedSignal{Signal: int(a.signal), Name: SignalName(a.signal), Time: a.at, Whole: whole})
}

// stopWithLauncher stops this process if the launcher stopped upon SIGTSTP: whoever started the one sees the other's
// state. A launcher that handles the signal goes on, and so does this process.
func (r *Relay) stopWithLauncher() {
	switch {
	case r.asked.IsZero():
	case isStopped(r.launcher.Pid):
		r.asked = time.Time{}
		stopSelf()
	case time.Since(r.asked) > suspending:
		r.asked = time.Time{}
	}
}

// noteRemaining notes the signals that are left when the launcher has ended.
func (r *Relay) noteRemaining() {
	for len(r.signals) > 0 {
		r.addArrival(<-r.signals)
	}
	r.hearing.pollWitness()
	for _, a := range r.open {
		r.noteArrival(a, r.hearing.matchArrival(a))
	}
	r.hearing.stop()
}
