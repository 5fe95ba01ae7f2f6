package movement

import (
	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/invariant"
	"laggard/analysis/movement/outlier"
	"laggard/analysis/movement/profile"
	"laggard/model"
)

// Options steer [Analyse]. The limits are the paper's where it has one.
type Options struct {
	// Ranks: only chains that start at these ranks are looked at; empty: at any.
	Ranks model.RankSet
	// Training: known good runs, nil if there are none. Invariants are then taken
	// from them (§3.1), a chain that occurs in them is no violation, and a rank whose
	// distribution is like one of theirs is no outlier (§5.4).
	Training *profile.Profile
	// LastPhase: where the whole run shows no outlier, search shorter and shorter
	// spans of time (§4.5).
	LastPhase bool
}

// Found is what Analyse found.
type Found struct {
	Ranks  model.RankSet // that were looked at
	Chains uint64        // that start there
	Groups []chain.Group // of these, by falling count
	Links  chain.Links   // of the whole trace
	// Unreceived is likewise of the whole trace.
	Unreceived []chain.Unreceived

	Invariants []invariant.Invariant // by falling count
	Violations []invariant.Violation // the most suspicious first
	// Pruned counts violations left out because the training runs have the chain.
	Pruned int
	// Novel are the groups that the training runs do not have, the first seen first.
	Novel []Novel

	Distances outlier.Distances // of the span that Outliers was found in
	Outliers  []outlier.Outlier // by falling distance
}

// Analyse extracts the invariants of a trace, or takes those of the training
// runs, and finds what violates them. The trace stays as it is.
func Analyse(tr *chain.Trace, opts Options) Found {
	if opts.Ranks.Len() > 0 {
		tr = tr.FilterRanks(opts.Ranks)
	}
	f := Found{Groups: tr.Groups, Links: tr.Links, Unreceived: tr.Unreceived}
	for _, t := range tr.Tracks {
		f.Ranks.Add(t.Rank)
		f.Chains += uint64(len(t.Chains))
	}
	f.Invariants = invariant.Frequent(tr, opts.Training)
	f.Violations, f.Pruned = invariant.Violations(tr, f.Invariants, opts.Training)
	f.Novel = findNovel(tr, opts.Training)
	f.Distances, f.Outliers = outlier.Find(tr, opts.Training, opts.LastPhase)
	return f
}
