package alert

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"laggard/analysis/slowness"
)

// Alerts are told of a job while it runs, a line for each event and, of a slowdown, a command.
type Alerts struct {
	Command  string                       // of the shell, run once for each slowdown; "": none
	Sentence func(*slowness.Event) string // tells of an event in a line
	Say      io.Writer                    // where the user is told
	monitor  *slowness.Monitor
	next     time.Time // of the next look
	told     int       // events that were looked at
	slow     bool      // a slowdown was told, and no recovery yet
	failed   bool      // the command could not be run, which was said
}

// How often the samples are looked at, and how much of a processor that may take.
const (
	lookEvery  = 5 * time.Second
	costFactor = 50
)

// Look looks whether something happened, if it is time to. What cannot be read yet is looked at the next time. dir is where
// the ranks' files are, of which the user knows as runDir.
func (a *Alerts) Look(now time.Time, dir, runDir string) {
	if now.Before(a.next) {
		return
	}
	begin := time.Now()
	if a.monitor == nil {
		a.monitor, _ = slowness.NewMonitor(dir) // there may be nothing yet
	}
	if a.monitor != nil {
		if r, err := a.monitor.Refresh(now); err == nil {
			a.tell(r.Events, runDir)
		}
	}
	a.next = now.Add(max(lookEvery, costFactor*time.Since(begin)))
}

// Close ends the use of the files.
func (a *Alerts) Close() {
	if a.monitor != nil {
		a.monitor.Close()
		a.monitor = nil
	}
}

// tell tells of events that are new.
func (a *Alerts) tell(events []slowness.Event, dir string) {
	for i := a.told; i < len(events); i++ {
		e := &events[i]
		if !e.IsAlert() && !(a.slow && e.Kind == slowness.Recovery) {
			continue
		}
		a.slow = e.Kind == slowness.Slowdown
		sentence := a.Sentence(e)
		fmt.Fprintf(a.Say, "laggard: %s\n", sentence)
		if a.slow && a.Command != "" {
			a.runCommand(e, sentence, dir)
		}
	}
	a.told = len(events)
}

// commandTime is how long the command may take.
const commandTime = time.Minute

// runCommand runs the command in the background. It is told what happened in its environment, and may not outlive its time.
func (a *Alerts) runCommand(e *slowness.Event, sentence, dir string) {
	c := exec.Command("sh", "-c", a.Command)
	c.Env = append(os.Environ(), "LAGGARD_SLOW="+sentence, "LAGGARD_SLOW_CAUSE="+string(e.Cause), "LAGGARD_SLOW_RANKS="+e.Ranks.String(),
		"LAGGARD_SLOW_DIR="+dir)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		if !a.failed {
			fmt.Fprintf(a.Say, "laggard: --on-slow %q: %v\n", a.Command, err)
		}
		a.failed = true
		return
	}
	timer := time.AfterFunc(commandTime, func() { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	go func() {
		c.Wait()
		timer.Stop()
	}()
}
