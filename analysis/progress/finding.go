package progress

import (
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// Finding is what was found out, before it is laid out as a Diagnosis.
type Finding struct {
	*job
	Verdict
}

// FindLP finds the least progressed ranks from the merged summary and partial by the
// first of the rules that concludes something. Errors wrap ErrUnknownAlgorithm or
// ErrMismatch.
func FindLP(sum facts.Summary, part Partial, opts Options) (*Finding, error) {
	j, err := newJob(&sum, part, opts)
	if err != nil {
		return nil, err
	}
	return &Finding{j, decideVerdict(j)}, nil
}

// indistinctRanks returns the named ranks where nothing told them apart.
func (f *Finding) indistinctRanks() model.RankSet {
	if f.opts.PaperOnly || f.Method == MethodEvidence && f.Cause != CauseLibrary || !f.undecided(f.Ranks) {
		return model.RankSet{}
	}
	return f.Ranks
}
