package slice

import (
	"context"
	"errors"
	"io"
	"time"

	"laggard/analysis/progress"
	"laggard/reduce"
	"laggard/slicing"
)

// Result is the answer to a [Question].
type Result struct {
	*progress.Result
	// Branch decided that some ranks left the collectives that the others share;
	// nil: it is not known, or none did. The first step is then its slice.
	Branch *slicing.Branch
	Skips  []Skip // of found messages that were not sent
	// Passed decided that a named rank went past a call in which others wait; nil: it is not known, or none did.
	Passed *slicing.Branch
	Steps  []Step // in the order of the progress dependence graph
	// Failed says which steps failed other than for want of code, such as for time or memory. The
	// diagnosis does not depend on them.
	Failed []error
}

// branchTime is how long the branch that decided is looked for.
const branchTime = 5 * time.Second

// Step is the slice of one group of ranks, and what it adds to those before.
type Step struct {
	slicing.Step
	Group   progress.Group
	Waiting bool // the group waits for one of an earlier step
	Branch  bool // it starts at Result.Branch, not where the group is
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
		if q.Found != nil {
			err = q.Found(found)
		}
		if err == nil {
			err = q.makeSteps(ctx, result)
		}
		found.Seconds[progress.StepOutput] += time.Since(begun).Seconds()
	}
	if err = reduce.Agree(reduce.NewTree(c), err); err != nil {
		return nil, err
	}
	return result, nil
}

// makeSteps makes the slices of what was found.
func (q Question) makeSteps(ctx context.Context, result *Result) error {
	found := result.Result
	if q.Slicer == nil || q.Optional && found.Running {
		return nil
	}
	starts, err := startsOf(found, q.Rank)
	if len(starts) == 0 && err == nil && !q.Optional {
		err = ErrNoStart
	}
	if len(starts) == 0 || err != nil {
		return err
	}
	if q.Groups > 0 && len(starts) > q.Groups {
		starts = starts[:q.Groups]
	}
	peers := findSenders(found, q.Dir)
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
	result.Branch, err = findBranch(ctx, slicer, found)
	if err != nil {
		result.Failed = append(result.Failed, err)
	}
	result.Skips, result.Passed = findSkips(ctx, slicer, found), findPassed(ctx, slicer, found)
	if result.Branch != nil && q.Rank < 0 {
		first := slicing.Criterion{Rank: criteria[0].Rank, Stack: result.Branch.Stack, Exact: true, Peers: peers}
		starts = append([]Step{{Group: starts[0].Group, Branch: true}}, starts...)
		criteria = append([]slicing.Criterion{first}, criteria...)
	}
	budget := q.Budget
	budget.NeedsLines = q.Optional
	union := slicing.Union(ctx, slicer, criteria, budget, q.Nearest)
	if len(union) > 0 && union[0].Err != nil && !q.Optional {
		return union[0].Err
	}
	for i, step := range union {
		if step.Err != nil && q.Optional && !errors.Is(step.Err, slicing.ErrNothing) {
			result.Failed = append(result.Failed, step.Err)
		}
		if step.Err == nil || !q.Optional {
			starts[i].Step = step
			result.Steps = append(result.Steps, starts[i])
		}
	}
	return nil
}
