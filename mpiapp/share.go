package main

import (
	"laggard/analysis/progress"
	"laggard/analysis/progress/facts"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/reduce"
)

// looker is one analysis rank's part of a look at a run.
type looker struct {
	*share.Share
	kept *facts.Keeper // the ranks, as far as they will be asked again
}

// readShare finds the share of a run, decodes it some ranks at a time, and tells what
// all analysis ranks found. The summary has only this share.
func readShare(dir string, c reduce.Comm, t *reduce.Tree) (s *looker, known shareFacts, sum facts.Summary, err error) {
	mine, err := share.Find(dir, c, t)
	if err != nil {
		return nil, shareFacts{}, sum, err
	}
	s = &looker{Share: mine, kept: facts.NewKeeper()}
	f, folded := newFacts(s.Index.Problems), facts.NewSummariser()
	eyes := newObserver()
	s.Index.Each(func(run *model.Run) {
		f.Add(run.Problems)
		for _, r := range run.Ranks {
			eyes.see(r, &f)
			folded.Add(r)
			s.kept.Keep(r)
		}
	})
	eyes.again(s.reread, &f)
	if known, err = reduce.AllReduce(s.Tree, factsMonoid, f, nil); err != nil {
		return s, shareFacts{}, sum, err
	}
	known.Damaged = known.Damaged.Union(s.Index.Foreign)
	if known.Holes {
		known.Damaged = known.Damaged.Union(s.Index.Missing())
	}
	sum, err = folded.Summary()
	return s, known, sum, err
}

// reread decodes the ranks of the share once more: the processes may live.
func (s *looker) reread(f func(*model.Rank)) {
	s.Index.Each(func(run *model.Run) {
		for _, r := range run.Ranks {
			f(r)
		}
	})
}

// infer asks the algorithm of the options, all analysis ranks together; the
// answer is at rank 0.
func (s *looker) infer(sum *facts.Summary, o progress.Options) (progress.Partial, error) {
	local, err := progress.NewLocaliser(sum, o)
	var part progress.Partial
	if err == nil {
		s.kept.Each(local.Add)
		part = local.Partial()
	}
	return reduce.Reduce(s.Tree, partials, part, err)
}
