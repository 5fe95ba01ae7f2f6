package compare

import (
	"context"
	"slices"

	"laggard/analysis/share"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// Run answers the question. All analysis ranks call it together; the result is at analysis rank 0, nil elsewhere. An error
// that there is no run wraps [model.ErrNoRun].
func Run(ctx context.Context, q Question, c reduce.Comm) (*Result, error) {
	t := reduce.NewTree(c)
	var runs []*runRead
	var indexes []*runfiles.Index
	for _, dir := range append(slices.Clone(q.Good), q.Bad) {
		run, index, err := readRun(dir, c, t)
		if err != nil {
			return nil, err
		}
		runs, indexes = append(runs, run), append(indexes, index)
	}
	runs, err := reduce.Reduce(t, runsRead, runs, ctx.Err())
	if err != nil || c.Rank() != 0 {
		return nil, err
	}
	last := len(runs) - 1
	out := &Result{Good: indexes[:last], Bad: indexes[last]}
	for _, r := range runs {
		out.Problems = append(out.Problems, r.Problems.Lines()...)
	}
	places := newPlaces(runs, append(slices.Clone(q.GoodSymbols), q.BadSymbols))
	out.Notes = places.notes
	newComparison(places, runs).answer(out)
	out.Shares = findShares(places, runs)
	return out, nil
}

// readRun reads a share of a run.
func readRun(dir string, c reduce.Comm, t *reduce.Tree) (*runRead, *runfiles.Index, error) {
	s, err := share.Find(dir, c, t)
	if err != nil {
		return nil, nil, err
	}
	out := newRunRead()
	out.Problems.Add(s.Index.Problems)
	s.Index.EachBatch(func(run *model.Run) {
		out.Problems.Add(run.Problems)
		out.addRanks(run.Ranks)
	})
	return out, s.Index, nil
}
