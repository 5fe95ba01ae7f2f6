package progress

import (
	"maps"
	"slices"

	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/reduce"
)

// What the analysis ranks reduce. All get the overview; analysis rank 0 gets the
// others, and hands out the question of the summary and the ranks to look up.
var (
	overviews = reduce.Monoid[overview]{
		Codec: reduce.JSON[overview](),
		Merge: func(a, b overview) (overview, error) { return mergeOverviews(a, b), nil },
	}
	summaries = reduce.Monoid[facts.Summary]{
		Codec: reduce.Codec[facts.Summary]{Encode: facts.EncodeSummary, Decode: facts.DecodeSummary},
		Merge: facts.MergeSummaries,
	}
	partials = reduce.Monoid[Partial]{
		Codec: reduce.Codec[Partial]{Encode: EncodePartial, Decode: DecodePartial},
		Merge: MergePartials,
	}
	processes = reduce.Monoid[map[int]Process]{
		Codec: reduce.JSON[map[int]Process](),
		Merge: func(a, b map[int]Process) (map[int]Process, error) {
			maps.Copy(a, b)
			return a, nil
		},
	}
	rankSets = reduce.JSON[model.RankSet]()
)

// overview is what the analysis ranks tell each other beforehand about their
// shares of the recorded ranks. It is a monoid: see mergeOverviews.
type overview struct {
	share.Problems
	Liveness map[int]evidence.Liveness `json:"liveness"`
	Moving   []int                     `json:"moving"` // live ranks that make progress
	Alive    bool                      `json:"alive"`  // a process of the run lives on this host
}

func newOverview(found []model.Problem) overview {
	return overview{Problems: share.NewProblems(found), Liveness: map[int]evidence.Liveness{}}
}

func mergeOverviews(a, b overview) overview {
	out := overview{Problems: share.MergeProblems(a.Problems, b.Problems), Liveness: map[int]evidence.Liveness{}}
	for _, o := range []overview{a, b} {
		maps.Copy(out.Liveness, o.Liveness)
		out.Moving = append(out.Moving, o.Moving...)
		out.Alive = out.Alive || o.Alive
	}
	slices.Sort(out.Moving)
	return out
}

// isBeingKilled reports whether the job may be in the midst of being killed: some
// processes are dead and others are not.
func (o overview) isBeingKilled() bool {
	for _, l := range o.Liveness {
		if l == evidence.Dead && o.Alive {
			return true
		}
	}
	return false
}
