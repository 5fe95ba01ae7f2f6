package slicing

import (
	"context"
	"time"
)

// Step is what one criterion adds to the union of slices (PDI §4.4).
type Step struct {
	Criterion Criterion
	Slice     Slice
	New       []bool // by line of the slice: no earlier step has it
	Err       error  // nothing can be said of this criterion
}

// Union makes the slices of criteria in their order, that of the progress
// dependence graph from the least progressed on, and says what each one adds.
// The time of the budget is for all of them together; those that it does not
// suffice for are left out.
func Union(ctx context.Context, s Slicer, criteria []Criterion, b Budget) []Step {
	var out []Step
	seen := map[LineID]bool{}
	end := time.Now().Add(b.Time)
	for i, c := range criteria {
		each := b
		if b.Time > 0 {
			each.Time = time.Until(end)
			if i > 0 && each.Time <= 0 || ctx.Err() != nil {
				break
			}
			each.Time = max(each.Time, time.Millisecond)
		}
		step := Step{Criterion: c}
		step.Slice, step.Err = s.Slice(ctx, c, each)
		for _, l := range step.Slice.Lines {
			step.New = append(step.New, !seen[l.ID()])
			seen[l.ID()] = true
		}
		out = append(out, step)
	}
	return out
}
