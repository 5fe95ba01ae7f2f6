package slice

import (
	"context"

	"laggard/analysis/divergence"
	"laggard/analysis/progress"
	"laggard/slicing"
)

// findPassed searches the code for why a named rank went past a call in which others wait; nil: it did not, or the code does not tell.
func findPassed(ctx context.Context, s slicing.Slicer, found *progress.Result) *slicing.Branch {
	if found.LeastProgressed == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, slicing.CrowdedFactor*branchTime)
	defer cancel()
	for _, r := range found.LeastProgressed.Reasons {
		if r.Passed == nil || r.Passed.To == nil {
			continue
		}
		made, other, before := divergence.CallIn(r.Passed.State), divergence.CallIn(r.Passed.To), divergence.CallIn(r.Passed.From)
		if b, known := branchBetweenCalls(ctx, s, &made, &other, &before); known && len(b.Stack) > 0 {
			return &b
		}
	}
	return nil
}
