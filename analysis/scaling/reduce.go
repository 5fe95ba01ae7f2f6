package scaling

import (
	"cmp"
	"slices"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/reduce"
)

// What the analysis ranks reduce. All get the volumes; analysis rank 0 gets the
// parts of the fitting and the judgements.
var (
	allVolumes = reduce.JSONMonoid((*volumesRead).mergeFrom)
	parts      = reduce.Monoid[*training.Part]{
		Codec: reduce.Codec[*training.Part]{Encode: training.EncodePart, Decode: training.DecodePart},
		Merge: func(a, b *training.Part) (*training.Part, error) { return training.MergeParts(a, b), nil },
	}
	judgements = reduce.Monoid[*judge.Judgement]{
		Codec: reduce.Codec[*judge.Judgement]{Encode: judge.EncodeJudgement, Decode: judge.DecodeJudgement},
		Merge: func(a, b *judge.Judgement) (*judge.Judgement, error) { return judge.MergeJudgements(a, b), nil },
	}
	trainedFile = reduce.Codec[*training.Trained]{Encode: training.EncodeTrained, Decode: training.DecodeTrained}
)

// volumesRead is what was read of runs: what their ranks sent, and what else is
// to be known of them.
type volumesRead struct {
	Tables   map[recorded.Source]*recorded.Table `json:"tables"`
	Programs []training.Program                  `json:"programs"` // of the ranks, each once
	Unseen   model.RankSet                       `json:"unseen"`   // ranks of which it was not recorded what they sent
	Ended    model.RankSet                       `json:"ended"`    // ranks that finalised
	Strange  []string                            `json:"strange"`  // control features that the training did not have
	Crash    *recorded.Crash                     `json:"crash"`    // the first, if a rank crashed
	Problems share.Problems                      `json:"problems"`
}

func newVolumesRead() *volumesRead {
	return &volumesRead{Tables: map[recorded.Source]*recorded.Table{}, Problems: share.NewProblems(nil)}
}

func (v *volumesRead) mergeFrom(w *volumesRead) *volumesRead {
	for source, t := range w.Tables {
		if mine := v.Tables[source]; mine != nil {
			t = recorded.Merge(mine, t)
		}
		v.Tables[source] = t
	}
	v.Programs, v.Strange = append(v.Programs, w.Programs...), append(v.Strange, w.Strange...)
	v.Unseen, v.Ended = v.Unseen.Union(w.Unseen), v.Ended.Union(w.Ended)
	v.Crash = recorded.EarlierCrash(v.Crash, w.Crash)
	v.normalise()
	v.Problems = share.MergeProblems(v.Problems, w.Problems)
	return v
}

func (v *volumesRead) normalise() {
	slices.SortFunc(v.Programs, func(a, b training.Program) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.BuildID, b.BuildID))
	})
	slices.Sort(v.Strange)
	v.Programs, v.Strange = slices.Compact(v.Programs), slices.Compact(v.Strange)
}

// rowCount is the number of rows of the largest table.
func (v *volumesRead) rowCount() int {
	n := 0
	for _, t := range v.Tables {
		n = max(n, len(t.Rows))
	}
	return n
}
