package slice

import (
	"context"

	"laggard/analysis/divergence"
	"laggard/analysis/progress"
	"laggard/model"
	"laggard/slicing"
)

// branchOf finds the branch that decided the first divergence, and corrects the kind
// of that by what the code allows; nil: there is no branch, or it is not found.
func branchOf(ctx context.Context, s slicing.Slicer, found *progress.Result) *slicing.Branch {
	if len(found.Diverged) == 0 {
		return nil
	}
	d := &found.Diverged[0]
	b, known := branchBetween(ctx, s, &d.Odd[0])
	if known && d.Decide(b.Ways, b.Loop) {
		found.Retold(d)
		b, known = branchBetween(ctx, s, &d.Odd[0])
	}
	if !known || len(b.Stack) == 0 || d.Odd[0].Undecided(b.Loop) {
		return nil
	}
	return &b
}

func branchBetween(ctx context.Context, s slicing.Slicer, o *divergence.Odd) (slicing.Branch, bool) {
	made, other := o.Ways()
	if made == nil || other == nil || made.State == nil || other.State == nil {
		return slicing.Branch{}, false
	}
	var last []model.Frame
	if before := o.Before(); before != nil && before.State != nil {
		last = before.State.Stack
	}
	b, err := s.Branch(ctx, made.State.Stack, other.State.Stack, last)
	return b, err == nil
}
