package speed

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"laggard/analysis/slowness"
	"laggard/internal/regular"
	"laggard/job/rundir"
)

// Watch looks at the speed of a job now and then. It is for one goroutine.
type Watch struct {
	Sentence    func(*slowness.Event) string // tells of an event in a line; nil: the user is not told
	Command     string                       // of the shell, run once for each slowdown that the user is told of; "": none
	MetricsFile string                       // what a monitoring system reads; "": nothing is written
	Metrics     func(io.Writer, State) error // writes it
	Say         io.Writer                    // where the user is told
	monitor     *slowness.Monitor
	next        time.Time // of the next look
	state       State
	told        int  // events that were looked at
	slow        bool // a slowdown was told, and not yet its end
	failed      bool // the command could not be run, or the file not written, which was said
	off         bool // the job is too large
}

// State is how a job is.
type State struct {
	Dir           string // the run directory
	Result        *slowness.Result
	Hung, Running bool
	Quiet         time.Duration // since some rank made progress
	Now           time.Time
}

// How often the samples are looked at, and how much of a processor that may take.
const (
	lookEvery  = 5 * time.Second
	costFactor = 50
)

// Look looks whether something happened, if it is time to. What cannot be read yet is looked at the next time. dir is where
// the ranks' files are, of which the user knows as runDir.
func (w *Watch) Look(now time.Time, dir, runDir string, hung bool) {
	if w.off || now.Before(w.next) && hung == w.state.Hung {
		return
	}
	begin := time.Now()
	if w.monitor == nil {
		w.monitor = newMonitor(dir)
	}
	if w.state.Result == nil { // the file is written before any rank starts, so that it does not describe the job before this one
		w.state = State{Dir: runDir, Result: &slowness.Result{}, Running: true, Now: now}
		w.writeMetrics()
	}
	if w.monitor != nil {
		if r, err := w.monitor.Refresh(now); err == nil && r.Size > mostRanks {
			w.turnOff(r.Size)
		} else if err == nil {
			w.state = State{Dir: runDir, Result: r, Hung: hung, Running: true, Quiet: w.monitor.Quiet(now), Now: now}
			w.tell(r.Events)
			w.writeMetrics()
		}
	}
	w.next = now.Add(max(lookEvery, costFactor*time.Since(begin)))
}

// newMonitor follows the ranks of this node; nil: there are none yet. Files of other nodes, which are in use there, are left alone.
func newMonitor(dir string) *slowness.Monitor {
	own := rundir.OwnFile(dir)
	if own == "" {
		return nil
	}
	name, err := filepath.Rel(dir, own)
	if err != nil {
		return nil
	}
	m, err := slowness.NewNodeMonitor(dir, name)
	if err != nil {
		return nil
	}
	return m
}

// mostRanks is of how many ranks the speed is followed: it takes about 2 KB of each in this process, and time that is needed
// to look for hangs.
const mostRanks = 65536

func (w *Watch) turnOff(ranks int) {
	fmt.Fprintf(w.Say, "laggard: the speed of %d ranks is not followed; laggard top shows it\n", ranks)
	w.monitor.Close()
	w.monitor, w.off = nil, true
}

// Close ends the watch, as the job has ended.
func (w *Watch) Close(now time.Time) {
	if w.monitor != nil {
		w.monitor.Close()
		w.monitor = nil
	}
	w.state.Running, w.state.Now = false, now
	w.writeMetrics()
}

// tell tells of events that are new.
func (w *Watch) tell(events []slowness.Event) {
	for i := w.told; i < len(events) && w.Sentence != nil; i++ {
		e := &events[i]
		if !e.IsAlert() && !(w.slow && e.Kind != slowness.Slowdown) {
			continue
		}
		w.slow = e.Kind == slowness.Slowdown
		sentence := w.Sentence(e)
		fmt.Fprintf(w.Say, "laggard: %s\n", sentence)
		if w.slow && w.Command != "" {
			w.runCommand(e, sentence)
		}
	}
	w.told = len(events)
}

// commandTime is how long the command may take.
const commandTime = time.Minute

// runCommand runs the command in the background. It is told what happened in its environment, and may not outlive its time.
func (w *Watch) runCommand(e *slowness.Event, sentence string) {
	c := exec.Command("sh", "-c", w.Command)
	c.Env = append(os.Environ(), "LAGGARD_SLOW="+sentence, "LAGGARD_SLOW_CAUSE="+string(e.Cause), "LAGGARD_SLOW_RANKS="+e.Ranks.String(),
		"LAGGARD_SLOW_DIR="+w.state.Dir)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		w.reportOnce("--on-slow %q: %v", w.Command, err)
		return
	}
	timer := time.AfterFunc(commandTime, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	go func() {
		_ = c.Wait() // its status is its own business
		timer.Stop()
	}()
}

// writeMetrics writes the file anew.
func (w *Watch) writeMetrics() {
	if w.MetricsFile == "" || w.state.Result == nil { // the job never started
		return
	}
	var b bytes.Buffer
	err := w.Metrics(&b, w.state)
	if err == nil {
		err = regular.ReplacePublicFile(w.MetricsFile, b.Bytes()) // node_exporter is another user
	}
	if err != nil {
		w.reportOnce("--metrics: %v", err)
	}
}

func (w *Watch) reportOnce(format string, args ...any) {
	if !w.failed {
		fmt.Fprintf(w.Say, "laggard: "+format+"\n", args...)
	}
	w.failed = true
}
