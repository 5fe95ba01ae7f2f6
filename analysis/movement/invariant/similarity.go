package invariant

import (
	"slices"

	"laggard/analysis/movement/chain"
)

// commonPart finds the contiguous common part of greatest uniqueness of two chains
// (§4.4.1, C ∩ P): its uniqueness, where it begins in both, and its length. A
// pack counts as in that chain where it has fewer segments.
//
// Chains have few operations, so that a table does what the paper's suffix
// tree would.
func commonPart(c, p chain.Group) (u float64, atC, atP, n int) {
	before := make([]float64, len(p.Ops)+1)
	for i := range c.Ops {
		row := make([]float64, len(p.Ops)+1)
		for j := range p.Ops {
			if c.Ops[i] != p.Ops[j] {
				continue
			}
			row[j+1] = before[j] + min(c.Weight(i), p.Weight(j))
			if row[j+1] > u {
				u, atC, atP = row[j+1], i, j
			}
		}
		before = row
	}
	if u == 0 {
		return 0, 0, 0, 0
	}
	for n <= min(atC, atP) && c.Ops[atC-n] == p.Ops[atP-n] {
		n++
	}
	return u, atC - n + 1, atP - n + 1, n
}

// compareToInvariant judges chain c against invariant p (Equations 6 to 8). The
// frequencies are those of c and p in the same runs.
func compareToInvariant(c, p chain.Group, freqC, freqP float64) Violation {
	u, atC, atP, n := commonPart(c, p)
	v := Violation{Chain: c, ChainAt: atC, InvariantAt: atP, Matched: n}
	v.Similarity = u / (c.Uniqueness() + p.Uniqueness() - u)
	v.Rareness = (freqP - freqC) / freqP
	if v.Similarity > 0 && v.Rareness > 0 {
		v.Abnormality = 2 / (1/v.Similarity + 1/v.Rareness)
	}
	for _, op := range p.Ops {
		if !slices.Contains(c.Ops, op) {
			v.Missing = append(v.Missing, op)
		}
	}
	return v
}
