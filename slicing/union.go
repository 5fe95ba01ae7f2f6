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

// firstLook is the time of the search for the nearest lines, where a longer one follows.
const firstLook = time.Second

// Union makes the slices of criteria in their order, that of the progress
// dependence graph from the least progressed on, and says what each one adds.
// The time of the budget is for all of them together; those that it does not
// suffice for are left out. If nearest is not nil and the first slice takes longer than a second, it gets the lines found by
// then.
func Union(ctx context.Context, s Slicer, criteria []Criterion, b Budget, nearest func(Slice)) []Step {
	var out []Step
	if nearest != nil && len(criteria) > 0 && b.Time > firstLook {
		quick := b
		quick.Time, quick.Total = firstLook, firstLook
		if found, err := s.Slice(ctx, criteria[0], quick); err == nil && found.Unfinished {
			nearest(found)
		}
	}
	seen := map[LineID]bool{}
	end := time.Now().Add(b.Time)
	for i, c := range criteria {
		each := b
		each.Total = b.Time
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
