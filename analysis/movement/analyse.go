package movement

import (
	"slices"

	"laggard/model"
)

// Analyse extracts the invariants of a trace, or takes those of the training
// runs, and finds what violates them. The trace stays as it is.
func Analyse(tr *Trace, opts Options) Result {
	opts = opts.withDefaults()
	if opts.Ranks.Len() > 0 {
		tr = tr.only(opts.Ranks)
	}
	r := Result{Groups: tr.Groups, Links: tr.Links}
	for _, t := range tr.Tracks {
		r.Ranks.Add(t.Rank)
		r.Chains += uint64(len(t.Chains))
	}
	base := tr.Groups
	if opts.Training != nil {
		base = opts.Training.frequentFirst()
	}
	r.Invariants = invariants(base, opts)
	r.Violations, r.Pruned = violations(tr.Groups, r.Invariants, opts)
	checkInstances(r.Violations, tr, r.Invariants, opts)
	r.Violations = slices.DeleteFunc(r.Violations, func(v Violation) bool { return v.Abnormality <= opts.MinAbnormality && !v.broken() })
	rank(r.Violations)
	r.Distances, r.Outliers = outliers(tr, opts)
	return r
}

// only returns the part of the trace that starts at the given ranks.
func (tr *Trace) only(ranks model.RankSet) *Trace {
	out := &Trace{Links: tr.Links, Groups: slices.Clone(tr.Groups)}
	for i := range out.Groups {
		out.Groups[i].Count = 0
	}
	for _, t := range tr.Tracks {
		if !ranks.Contains(t.Rank) {
			continue
		}
		out.Tracks = append(out.Tracks, Track{t.Rank, slices.Clone(t.Chains)})
		for _, c := range t.Chains {
			out.Groups[c.Group].Count++
		}
	}
	place := sortGroups(out.Groups)
	for _, t := range out.Tracks {
		for i := range t.Chains {
			t.Chains[i].Group = place[t.Chains[i].Group]
		}
	}
	out.Groups = slices.DeleteFunc(out.Groups, func(g Group) bool { return g.Count == 0 })
	return out
}
