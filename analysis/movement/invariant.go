package movement

import (
	"cmp"
	"slices"
)

// invariants returns the frequent chains (§4.3.1): unique enough to be told
// from others, and more than a share of the chains that are.
func invariants(groups []Group, opts Options) []Invariant {
	var total uint64
	for _, g := range groups {
		if g.Uniqueness() >= opts.MinUniqueness {
			total += g.Count
		}
	}
	var out []Invariant
	for _, g := range groups {
		if g.Uniqueness() >= opts.MinUniqueness && float64(g.Count) > opts.MinShare*float64(total) {
			out = append(out, Invariant{g, float64(g.Count) / float64(total)})
		}
	}
	return out
}

// common finds the contiguous common part of greatest uniqueness of two chains
// (§4.4.1, C ∩ P): its uniqueness, where it begins in both, and its length. A
// pack counts as in that chain where it has fewer segments.
//
// Chains have few operations, so that a table does what the paper's suffix
// tree would.
func common(c, p Group) (u float64, atC, atP, n int) {
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

// compare judges chain c against invariant p (Equations 6 to 8). The
// frequencies are those of c and p in the same runs.
func compare(c, p Group, freqC, freqP float64) Violation {
	u, atC, atP, n := common(c, p)
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

// violations compares all groups with all invariants (§4.4.1). Those whose
// chain the training runs have are left out and counted.
func violations(groups []Group, inv []Invariant, opts Options) (out []Violation, pruned int) {
	known := opts.Training.counts()
	for i, c := range groups {
		frequency := c.Count
		if opts.Training != nil {
			frequency = known[key(c.Ops)]
		}
		found := against(c, float64(frequency), inv, opts)
		if known[key(c.Ops)] > 0 {
			pruned += len(found)
			continue
		}
		for _, v := range found {
			v.group = int32(i)
			out = append(out, v)
		}
	}
	return out, pruned
}

// against compares one group, of the given frequency, with all invariants.
func against(c Group, frequency float64, inv []Invariant, opts Options) []Violation {
	var out []Violation
	for i, p := range inv {
		if frequency >= float64(p.Count) || slices.Equal(c.Ops, p.Ops) {
			continue
		}
		v := compare(c, p.Group, frequency, float64(p.Count))
		if v.Invariant = i; v.Abnormality > opts.MinSuspicion {
			out = append(out, v)
		}
	}
	return out
}

// rank sorts violations: those that only begin or end the usual last, then by
// what their context tells, then by abnormality.
func rank(list []Violation) {
	slices.SortStableFunc(list, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(boolBit(a.atEdge()), boolBit(b.atEdge())), cmp.Compare(b.Evidence, a.Evidence), cmp.Compare(b.Abnormality, a.Abnormality),
			a.Chain.compare(b.Chain), cmp.Compare(a.Invariant, b.Invariant))
	})
}

// atEdge tells whether all instances are at the beginning or end of their rank.
func (v *Violation) atEdge() bool { return v.Instances > 0 && v.Edge == v.Instances }

// broken tells whether most instances have the missing part beside them, in a
// chain of its own, as others do not.
func (v *Violation) broken() bool { return v.Evidence >= 0.5 && 2*v.Completions > v.Instances }
