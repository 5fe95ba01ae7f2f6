package scaling

import (
	"cmp"
	"slices"

	"laggard/analysis/share"
	"laggard/model"
	"laggard/reduce"
)

// What the analysis ranks reduce. All get the volumes; analysis rank 0 gets the
// parts of the fitting and the judgements.
var (
	allVolumes = reduce.Monoid[*volumesRead]{
		Codec: reduce.JSON[*volumesRead](),
		Merge: func(a, b *volumesRead) (*volumesRead, error) { return a.join(b), nil },
	}
	parts = reduce.Monoid[*Part]{
		Codec: reduce.Codec[*Part]{Encode: EncodePart, Decode: DecodePart},
		Merge: func(a, b *Part) (*Part, error) { return MergeParts(a, b), nil },
	}
	judgements = reduce.Monoid[*Judgement]{
		Codec: reduce.Codec[*Judgement]{Encode: EncodeJudgement, Decode: DecodeJudgement},
		Merge: func(a, b *Judgement) (*Judgement, error) { return MergeJudgements(a, b), nil },
	}
	trainedFile = reduce.Codec[*Trained]{Encode: EncodeTrained, Decode: DecodeTrained}
)

// volumesRead is what was read of runs: what their ranks sent, and what else is
// to be known of them.
type volumesRead struct {
	Tables   map[Source]*Table `json:"tables"`
	Programs []Program         `json:"programs"` // of the ranks, each once
	Unseen   model.RankSet     `json:"unseen"`   // ranks of which it was not recorded what they sent
	Ended    model.RankSet     `json:"ended"`    // ranks that finalised
	Strange  []string          `json:"strange"`  // control features that the training did not have
	Crash    *Crash            `json:"crash"`    // the first, if a rank crashed
	Problems share.Problems    `json:"problems"`
}

func newVolumesRead() *volumesRead {
	return &volumesRead{Tables: map[Source]*Table{}, Problems: share.NewProblems(nil)}
}

func (v *volumesRead) join(w *volumesRead) *volumesRead {
	for source, t := range w.Tables {
		if mine := v.Tables[source]; mine != nil {
			t = Merge(mine, t)
		}
		v.Tables[source] = t
	}
	v.Programs, v.Strange = append(v.Programs, w.Programs...), append(v.Strange, w.Strange...)
	v.Unseen, v.Ended = v.Unseen.Union(w.Unseen), v.Ended.Union(w.Ended)
	v.Crash = EarlierCrash(v.Crash, w.Crash)
	v.sort()
	v.Problems = share.MergeProblems(v.Problems, w.Problems)
	return v
}

func (v *volumesRead) sort() {
	slices.SortFunc(v.Programs, func(a, b Program) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.BuildID, b.BuildID))
	})
	slices.Sort(v.Strange)
	v.Programs, v.Strange = slices.Compact(v.Programs), slices.Compact(v.Strange)
}

// rows is the number of rows of the largest table.
func (v *volumesRead) rows() int {
	n := 0
	for _, t := range v.Tables {
		n = max(n, len(t.Rows))
	}
	return n
}
