package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/analysis/usage/usagetest"
	"laggard/model"
)

// TestReplay replays the transcripts of testdata; -rewrite writes what came out.
func TestReplay(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			traces, err := usagetest.Parse(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			var b strings.Builder
			for _, trace := range traces {
				var all follower
				replayed := replay.Run(trace, &all)
				switch d.Cmd {
				case "operations":
					describeOperations(&b, replayed, all)
				case "epochs":
					describeEpochs(&b, replayed)
				case "finalized":
					fmt.Fprintf(&b, "%d: %v\n", trace.Rank, replayed.Finalized)
				case "findings":
					describeFindings(&b, replayed.Findings)
				default:
					d.Fatalf(t, "unknown command %s", d.Cmd)
				}
			}
			if b.Len() == 0 {
				return "nothing\n"
			}
			return b.String()
		})
	})
}

// follower keeps the operations, in the order in which they began.
type follower []*replay.Operation

func (f *follower) BeginCall(int, *recorded.Call) {}

func (f *follower) BeginOperation(o *replay.Operation, _ *recorded.Call) {
	o.Note = int32(len(*f))
	*f = append(*f, o)
}

func (f *follower) ChangeOperation(*replay.Operation) {}

var kindNames = [...]string{"?", "send", "recv", "probe", "collective", "one-sided"}

func describeOperations(b *strings.Builder, r *replay.Replayed, all follower) {
	for i, op := range all {
		fmt.Fprintf(b, "%d: op %d %s %s", r.Trace.Rank, i, kindNames[op.Kind], callPlace(r, int(op.Call)))
		if op.Made != op.Call {
			fmt.Fprintf(b, " made %s", callPlace(r, int(op.Made)))
		}
		fmt.Fprintf(b, " comm %d peer %s tag %s count %d", op.Comm, rankName(op.Peer), rankName(op.Tag), op.Count)
		if op.Number > 0 {
			fmt.Fprintf(b, " number %d", op.Number)
		}
		if op.Blocking {
			b.WriteString(" blocking")
		}
		if op.Done >= 0 {
			fmt.Fprintf(b, " done %s", callPlace(r, int(op.Done)))
		}
		if op.Bytes >= 0 {
			fmt.Fprintf(b, " got %d from %d tag %d", op.Bytes, op.Source, op.FromTag)
		}
		if op.Cancelled {
			b.WriteString(" cancelled")
		}
		b.WriteString("\n")
	}
	for _, w := range r.Waits {
		var waits []int32
		for _, op := range w.Operations {
			waits = append(waits, op.Note)
		}
		fmt.Fprintf(b, "%d: %s waits for %v any=%v poll=%v\n", r.Trace.Rank, callPlace(r, w.Call), waits, w.Any, w.Poll)
	}
}

var epochNames = [...]string{"?", "fence", "start", "post", "lock"}

// describeEpochs writes the epochs and accesses that a replay leaves.
func describeEpochs(b *strings.Builder, r *replay.Replayed) {
	for i, e := range r.Epochs {
		fmt.Fprintf(b, "%d: epoch %d %s window %d from %s", r.Trace.Rank, i, epochNames[e.Kind], e.Window,
			callPlace(r, e.Open))
		if e.Close >= 0 {
			fmt.Fprintf(b, " to %s", callPlace(r, e.Close))
		}
		switch e.Kind {
		case replay.FenceEpoch:
			fmt.Fprintf(b, " number %d asserts %d", e.Number, e.Assert)
		case replay.LockEpoch:
			fmt.Fprintf(b, " target %s exclusive=%v fence %d", rankName(int32(e.Target)), e.Exclusive, e.Fence)
		case replay.StartEpoch, replay.PostEpoch:
			fmt.Fprintf(b, " group %s", groupName(e.Group))
		}
		b.WriteString("\n")
	}
	for _, x := range r.Accesses {
		op := x.Operation
		fmt.Fprintf(b, "%d: %s of rank %d epoch %d", r.Trace.Rank, callPlace(r, int(op.Call)), op.Peer, x.Epoch)
		if x.Done >= 0 {
			fmt.Fprintf(b, " done %s", callPlace(r, x.Done))
		}
		b.WriteString("\n")
	}
}

func groupName(members []int) string {
	if members == nil {
		return "unknown"
	}
	return fmt.Sprint(members)
}

func rankName(n int32) string {
	switch n {
	case model.Any:
		return "any"
	case model.ProcNull:
		return "procnull"
	case model.None:
		return "-"
	}
	return fmt.Sprint(n)
}

func callPlace(r *replay.Replayed, call int) string { return placeName(r.Place(call, "")) }

func placeName(p finding.Place) string {
	if len(p.Site.Stack) == 0 {
		return p.Call
	}
	f := p.Site.Stack[0]
	return fmt.Sprintf("%s@%s:%d", p.Call, f.Module.Path, f.Offset)
}

func describeFindings(b *strings.Builder, findings []finding.Finding) {
	for _, f := range findings {
		if c, _ := finding.ClassNamed(f.Class); f.Class == "invalid_argument" && f.Change == c.Change {
			b.WriteString("says not what to change: ")
		}
		fmt.Fprintf(b, "%s: %s", f.Class, f.Message)
		if f.Count > 1 {
			fmt.Fprintf(b, " (%d times)", f.Count)
		}
		if f.Returned {
			b.WriteString(" (returned)")
		}
		fmt.Fprintf(b, "; ranks %s; %s", f.Ranks, f.Standard)
		for _, p := range f.Places {
			fmt.Fprintf(b, "; %d %s %s", p.Rank, p.Role, placeName(p))
		}
		b.WriteString("\n")
	}
}
