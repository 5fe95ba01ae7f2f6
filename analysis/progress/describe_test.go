package progress

import (
	"fmt"
	"strings"

	"laggard/analysis/progress/evidence"
	"laggard/model"
)

// Say are functions of package wording, which imports this one.
var Say struct {
	Reason       func(*LeastProgressed) string
	Loss         func(*Loss) string
	Failure      func(*Failure) string
	Edge         func(*Edge) string
	Comm         func(model.CommRef) string
	Signal       func(int) string
	FindingNotes func(*Diagnosis) []string
	Sender       func(evidence.Sender) string
}

// describeDiagnosis writes a result as the transcripts show it.
func describeDiagnosis(r Diagnosis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "hang: %t\n", r.Hang)
	if l := r.LeastProgressed; l != nil {
		by := l.Rule
		if l.Method != MethodEvidence {
			by += " " + l.Method
		}
		fmt.Fprintf(&b, "least: %v by %s, %.2f: %s\n", l.Ranks, by, l.Confidence, Say.Reason(l))
		for _, at := range l.Locations {
			where := "in " + at.Call
			if at.Call == "" {
				where = "after " + at.After
			}
			if at.Captured {
				where += fmt.Sprintf(", captured %d frames", len(at.Stack))
			}
			switch h := at.Holder; {
			case h.For != model.NothingAwaited:
				where += fmt.Sprintf(", waits for thread %d in %q", h.TID, h.Call)
			case h.TID != 0:
				where += fmt.Sprintf(", its thread %d in %q", h.TID, h.Call)
			}
			fmt.Fprintf(&b, "  %v: %s\n", at.Ranks, where)
		}
	}
	if e := r.Ended; e != nil {
		fmt.Fprintf(&b, "ended: by %s %s at %d %s ranks %q\n",
			e.By, Say.Signal(e.Signal), e.Time/1e9, Say.Sender(e.Sender), e.Ranks.String())
	}
	if d := r.Deadlock; d != nil {
		fmt.Fprintf(&b, "deadlock: %v certain %t\n", d.Cycles, d.Certain)
	}
	for _, l := range r.Lost {
		fmt.Fprintf(&b, "lost: %v: %s (cause %t)\n", l.Ranks, Say.Loss(&l), l.Cause)
	}
	for _, l := range r.Failures {
		fmt.Fprintf(&b, "failed: %v: %s\n", l.Ranks, Say.Failure(&l))
	}
	if r.Unfinished.Len() > 0 {
		fmt.Fprintf(&b, "unfinished: %v\n", r.Unfinished)
	}
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "group %d: %v %s %s\n", g.ID, g.Ranks, g.Kind, g.Call)
	}
	for _, e := range r.Edges {
		fmt.Fprintf(&b, "%d -> %d %s: %s\n", e.From, e.To, e.Kind, Say.Edge(&e))
	}
	for _, c := range r.Concurrent {
		fmt.Fprintf(&b, "concurrent: %d threads of %v in %s on %s\n", c.Threads, c.Ranks, strings.Join(c.Calls, ", "), Say.Comm(c.On))
	}
	for _, a := range r.AboveLevel {
		fmt.Fprintf(&b, "above level: %d threads of %v with %s\n", a.Threads, a.Ranks, model.ThreadLevels[a.Level])
	}
	for _, h := range r.HeldLocks {
		fmt.Fprintf(&b, "held: by %s of %v\n", h.By.Call, h.Ranks)
	}
	for _, l := range r.FileLocks {
		fmt.Fprintf(&b, "file lock: %v wait for %s of process %d %q, rank %d\n", l.Ranks, l.File, l.PID, l.Command, l.Holder)
	}
	for _, m := range r.Taken {
		taken := "taken"
		if m.Pending {
			taken = "perhaps taken"
		}
		fmt.Fprintf(&b, "%s: %d of %d from %d to %d with tag %d on %s by %s\n",
			taken, m.Number, m.Sent, m.Peer, m.Rank, m.Tag, Say.Comm(m.On), m.Call)
	}
	for _, a := range r.AnySource {
		fmt.Fprintf(&b, "any source: rank %d wants %d with tag %d on %s, %d came from %q, none from %q\n",
			a.Rank, a.Wanted, a.Tag, Say.Comm(a.On), a.Came, a.From.String(), a.None.String())
	}
	for _, e := range r.ReturnedErrors {
		fmt.Fprintf(&b, "returned: %d to %v in %s: %s\n", e.Count, e.Ranks, e.Call, e.Text)
	}
	fmt.Fprintf(&b, "order: groups %v ranks", r.ProgressOrder)
	for _, s := range r.RankOrder {
		fmt.Fprintf(&b, " [%v]", s)
	}
	b.WriteString("\n")
	for _, n := range Say.FindingNotes(&r) {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}
