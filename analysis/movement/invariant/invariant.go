package invariant

import (
	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/profile"
)

// Invariant is a frequent chain (§4.3.1).
type Invariant struct {
	chain.Group
	Share float64 // among the chains that are unique enough
}

// The paper's limits for a frequent chain (§4.3.1).
const (
	minUniqueness = 5   // of the chain
	minShare      = 0.1 // of it among the chains that are as unique, exclusive
)

// Frequent returns the invariants of the training runs, or, if training is nil,
// those of the trace, by falling count: chains that are unique enough to be told
// from others, and more than a share of the chains that are (§4.3.1).
func Frequent(tr *chain.Trace, training *profile.Profile) []Invariant {
	groups := tr.Groups
	if training != nil {
		groups = training.FrequentFirst()
	}
	var total uint64
	for _, g := range groups {
		if g.Uniqueness() >= minUniqueness {
			total += g.Count
		}
	}
	var out []Invariant
	for _, g := range groups {
		if g.Uniqueness() >= minUniqueness && float64(g.Count) > minShare*float64(total) {
			out = append(out, Invariant{g, float64(g.Count) / float64(total)})
		}
	}
	return out
}
