package slice

import (
	"context"

	"laggard/analysis/divergence"
	"laggard/analysis/progress"
	"laggard/model"
	"laggard/slicing"
)

// Skip is what the code says of a message that was not sent.
type Skip struct {
	Message int // index into progress.Result.Unsent
	// Branch decides whether the call is made that sends such messages; nil: it is not known. If the sender never made the call,
	// it is where its way to where it is passed the call.
	Branch *slicing.Branch
	// Behind: the call comes behind that which the sender is in.
	Behind bool
}

// maxSkips bounds the messages for which the code is searched.
const maxSkips = 2

// receiverIsAhead reports whether the code leads from where the sender of a message is to where the receiver waits, in one pass: the
// sender has not come to the call for that one yet.
func receiverIsAhead(ctx context.Context, s slicing.Slicer, found *progress.Result, m *progress.Unsent) bool {
	g := found.GroupOf(m.Rank)
	if g == nil {
		return false
	}
	waits, at := divergence.CallIn(&model.State{Call: g.Call, Stack: g.Stack}), divergence.CallIn(m.At)
	b, known := branchBetweenCalls(ctx, s, &waits, &at, nil)
	return known && b.After
}

// findSkips searches the code for why the named ranks did not send messages, if no divergence explains the hang.
func findSkips(ctx context.Context, s slicing.Slicer, found *progress.Result) []Skip {
	ctx, cancel := context.WithTimeout(ctx, slicing.CrowdedFactor*branchTime)
	defer cancel()
	var out []Skip
	for i := range found.Unsent {
		m := &found.Unsent[i]
		if len(found.Diverged) > 0 || !found.IsNamed(m.Peer) || !found.MayBeSkipped(m) || m.By.ID == m.At.ID || len(out) == maxSkips {
			continue
		}
		made, at := divergence.CallIn(m.By), divergence.CallIn(m.At)
		b, known := branchBetweenCalls(ctx, s, &made, &at, nil)
		switch {
		case !known || b.Before == b.After:
		case b.After:
			out = append(out, Skip{Message: i, Behind: true})
		case m.Never && len(b.Stack) > 0:
			out = append(out, Skip{Message: i, Branch: &b})
		case !m.Never && !interpreted(m.By.Stack, m.By.Stack[1:]) && !receiverIsAhead(ctx, s, found, m):
			// The sender came there before: what decided is in the function that makes the call. That it went round a loop as often
			// as it did says nothing.
			b, err := s.Branch(ctx, m.By.Stack, m.By.Stack[1:], nil)
			if err == nil && len(b.Stack) == len(m.By.Stack) && !b.Loop && !b.Outside && !b.Alike {
				out = append(out, Skip{Message: i, Branch: &slicing.Branch{Jump: b.Jump}})
			}
		}
	}
	return out
}
