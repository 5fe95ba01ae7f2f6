package slice

import (
	"context"
	"io"
	"time"

	"laggard/analysis/progress"
	"laggard/reduce"
	"laggard/slicing"
)

// Result is the answer to a [Question].
type Result struct {
	*progress.Result
	Steps []Step // in the order of the progress dependence graph
}

// Step is the slice of one group of ranks, and what it adds to those before.
type Step struct {
	slicing.Step
	Group   progress.Group
	Waiting bool // the group waits for one of an earlier step
}

// Run answers the question. All analysis ranks call it together; the result is
// at analysis rank 0, nil elsewhere. Errors are those of [progress.Run], wrap
// [ErrNoStart] or [slicing.ErrNothing], or are a [*RankError].
func Run(ctx context.Context, q Question, c reduce.Comm) (*Result, error) {
	found, err := progress.Run(ctx, q.Question, c)
	if err != nil {
		return nil, err
	}
	var result *Result
	if found != nil {
		begun := time.Now()
		result = &Result{Result: found}
		result.Steps, err = q.steps(ctx, found)
		found.Seconds[progress.StepOutput] += time.Since(begun).Seconds()
	}
	if err = reduce.Agree(reduce.NewTree(c), err); err != nil {
		return nil, err
	}
	return result, nil
}

// steps makes the slices of what was found.
func (q Question) steps(ctx context.Context, found *progress.Result) ([]Step, error) {
	if q.Slicer == nil || q.Optional && found.Running {
		return nil, nil
	}
	starts, err := startsOf(found, q.Rank)
	if len(starts) == 0 && err == nil && !q.Optional {
		err = ErrNoStart
	}
	if len(starts) == 0 || err != nil {
		return nil, err
	}
	if q.Groups > 0 && len(starts) > q.Groups {
		starts = starts[:q.Groups]
	}
	peers := senders(q.Dir)
	var criteria []slicing.Criterion
	for _, s := range starts {
		criterion := criterionOf(found, s.Group, q.Rank)
		criterion.Peers = peers
		criteria = append(criteria, criterion)
	}
	slicer := q.Slicer(found)
	if s, ok := slicer.(io.Closer); ok {
		defer s.Close()
	}
	union := slicing.Union(ctx, slicer, criteria, q.Budget)
	if len(union) > 0 && union[0].Err != nil && !q.Optional {
		return nil, union[0].Err
	}
	var out []Step
	for i, step := range union {
		if step.Err == nil || !q.Optional {
			starts[i].Step = step
			out = append(out, starts[i])
		}
	}
	return out, nil
}
