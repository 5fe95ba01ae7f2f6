package main

import (
	"slices"

	"laggard/analysis/progress"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/inference"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/reduce"
)

// facts is what the analysis ranks tell each other beforehand, about their
// shares of the recorded ranks.
type shareFacts struct {
	share.Problems
	Liveness map[int]evidence.Liveness `json:"liveness"`
	Moving   []int                     `json:"moving"` // live ranks that make progress
	Alive    bool                      `json:"alive"`  // a process of the run lives on this host
}

var factsMonoid = reduce.Monoid[shareFacts]{
	Codec: reduce.JSON[shareFacts](),
	Merge: func(a, b shareFacts) (shareFacts, error) { return mergeFacts(a, b), nil },
}

func newFacts(found []model.Problem) shareFacts {
	return shareFacts{Problems: share.NewProblems(found), Liveness: map[int]evidence.Liveness{}}
}

func mergeFacts(a, b shareFacts) shareFacts {
	out := shareFacts{Problems: share.MergeProblems(a.Problems, b.Problems), Liveness: map[int]evidence.Liveness{}}
	for _, f := range []shareFacts{a, b} {
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

func withFacts(o progress.Options, index *model.Index, f shareFacts) progress.Options {
	o.Size = index.Size
	o.Damaged = f.Damaged.Minus(index.Seen)
	if imported(index) {
		// Whoever took the stacks may not have come to all ranks. And there are no
		// counts of iterations to compare, which the default algorithm is about.
		o.Damaged, o.StacksOnly = o.Damaged.Union(index.Missing()), true
		if o.Algorithm == inference.DefaultAlgorithm {
			o.Algorithm = inference.PDI
		}
	}
	o.Progressing = len(f.Moving) > 0
	if f.Alive {
		o.Liveness = f.Liveness
	}
	return o
}
