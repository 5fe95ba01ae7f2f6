package slice

import (
	"context"

	"laggard/analysis/progress"
	"laggard/slicing"
)

// branchOf finds the branch that decided the first divergence; nil: there is none,
// or it is not found.
func branchOf(ctx context.Context, s slicing.Slicer, found *progress.Result) *slicing.Branch {
	if len(found.Diverged) == 0 {
		return nil
	}
	made, other := found.Diverged[0].Odd[0].Ways()
	if made == nil || other == nil || made.State == nil || other.State == nil {
		return nil
	}
	b, err := s.Branch(ctx, made.State.Stack, other.State.Stack)
	if err != nil {
		return nil
	}
	return &b
}
