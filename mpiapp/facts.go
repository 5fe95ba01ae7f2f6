package main

import (
	"slices"

	"laggard/analysis/progress"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/reduce"
)

// facts is what the analysis ranks tell each other beforehand, about their
// shares of the recorded ranks.
type facts struct {
	share.Problems
	Liveness map[int]progress.Liveness `json:"liveness"`
	Moving   []int                     `json:"moving"` // live ranks that make progress
	Alive    bool                      `json:"alive"`  // a process of the run lives on this host
}

var factsMonoid = reduce.Monoid[facts]{
	Codec: reduce.JSON[facts](),
	Merge: func(a, b facts) (facts, error) { return mergeFacts(a, b), nil },
}

func newFacts(found []model.Problem) facts {
	return facts{Problems: share.NewProblems(found), Liveness: map[int]progress.Liveness{}}
}

func mergeFacts(a, b facts) facts {
	out := facts{Problems: share.MergeProblems(a.Problems, b.Problems), Liveness: map[int]progress.Liveness{}}
	for _, f := range []facts{a, b} {
		for rank, l := range f.Liveness {
			out.Liveness[rank] = l
		}
		out.Moving = append(out.Moving, f.Moving...)
		out.Alive = out.Alive || f.Alive
	}
	slices.Sort(out.Moving)
	return out
}

// imported tells whether the run directory was made from backtraces.
func imported(index *model.Index) bool { return index.Manifest != nil && index.Manifest.Imported }

func withFacts(o progress.Options, index *model.Index, f facts) progress.Options {
	o.Size = index.Size
	o.Damaged = f.Damaged.Minus(index.Seen)
	if imported(index) {
		// Whoever took the stacks may not have come to all ranks. And there are no
		// counts of turns to compare, which the default algorithm is about.
		o.Damaged, o.StacksOnly = o.Damaged.Union(index.Missing()), true
		if o.Algorithm == progress.DefaultAlgorithm {
			o.Algorithm = progress.PDI
		}
	}
	o.Progressing = len(f.Moving) > 0
	if f.Alive {
		o.Liveness = f.Liveness
	}
	return o
}
