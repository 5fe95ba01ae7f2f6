package signals

import (
	"slices"
	"time"

	"laggard/internal/standby"
)

const (
	// together is how far apart the same signal may come to several processes to which it was sent at once: batch
	// systems and pkill go through them one by one, and timeout(1) sends to a process and then to its group.
	together = 100 * time.Millisecond
	// late is how long this process or its witness may take over a signal on a machine that is busy.
	late = 2 * time.Second
	// remembered is how many signals of the witness are kept.
	remembered = 64
)

// groupWitness is what the witness says. Without a witness, every signal counts as sent to this process alone: one that
// comes twice does less harm than one that is lost.
type groupWitness struct {
	command []string // the launcher's command line
	witness *standby.SignalMonitor
	heard   []witnessedSignal // latest last
}

// witnessedSignal is a signal that the witness got.
type witnessedSignal struct {
	standby.Received
	used bool // this process got it as well
}

func (h *groupWitness) start(command []string) (err error) {
	h.command = command
	h.witness, err = standby.StartSignalMonitor(command)
	return err
}

func (h *groupWitness) stop() {
	if h.witness != nil {
		h.witness.Dismiss()
	}
}

// pollWitness takes what the witness has to tell, and returns whether that was anything.
func (h *groupWitness) pollWitness() bool {
	if h.witness == nil {
		return false
	}
	got := h.witness.TakeSignals()
	for _, r := range got {
		h.heard = append(h.heard, witnessedSignal{Received: r})
	}
	h.heard = h.heard[max(0, len(h.heard)-remembered):]
	return len(got) > 0
}

// noteResumed is called when this process was continued: what came to it while it was stopped comes now.
func (h *groupWitness) noteResumed(now time.Time) {
	h.pollWitness()
	for i := range h.heard {
		if !h.heard[i].used {
			h.heard[i].At = now
		}
	}
}

// matchArrival reports whether the witness, and so the launcher, got a signal as well. One signal of the witness stands
// for all that came about then; if this process was slow, it stands for the first one later.
func (h *groupWitness) matchArrival(a arrival) bool {
	i := slices.IndexFunc(h.heard, func(t witnessedSignal) bool {
		age := a.at.Sub(t.At)
		return t.Signal == a.signal && age >= -together && (age <= together || !t.used && age <= late)
	})
	if i < 0 {
		return false
	}
	h.heard[i].used = true
	return true
}

// isForSelfOnly reports whether a signal of that age, which the witness has not told of, was sent to this process alone.
func (h *groupWitness) isForSelfOnly(age time.Duration) bool {
	if h.witness == nil || age > late {
		return true
	}
	if age < together {
		return false
	}
	idle, there := h.witness.IsIdle()
	if !there { // it was killed
		h.stop()
		h.witness, _ = standby.StartSignalMonitor(h.command)
		return true
	}
	return idle && !h.pollWitness()
}
