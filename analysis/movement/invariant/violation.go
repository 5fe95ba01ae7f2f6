package invariant

import (
	"cmp"
	"slices"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/profile"
	"laggard/model"
)

// Violation is a group of chains that are like a frequent chain, but rare
// (§4.4).
type Violation struct {
	Chain      chain.Group
	Invariant  int   // index into the invariants
	group      int32 // index of Chain
	superseded int   // instances that were thrown away and came again, which are no violation

	Similarity, Rareness, Abnormality float64 // Equations 6, 7, 8

	// The longest common part: Matched operations, from ChainAt in the chain and
	// from InvariantAt in the invariant.
	ChainAt, InvariantAt, Matched int
	Missing                       []chain.Operation // those of the invariant that the chain lacks

	// Of the Instances, ContextMatches have a missing operation in a chain close
	// by (§4.4.2), and Completions have it in one that is no frequent chain
	// itself: the other half of a broken chain.
	Instances, ContextMatches, Completions int
	// Edge counts the instances before the first chain of the invariant in their
	// rank, or behind the last: how a program begins or ends is no fault.
	Edge int
	// Stale counts the instances that read what had been read before, where a missing
	// operation usually writes it anew.
	Stale int
	// Evidence is how far the rate of one of the first two lies, at least, above the
	// rate around any other chain, or the rate of the third above nothing; 0: it tells
	// nothing.
	Evidence float64
	Ranks    model.RankSet // where the instances begin
	Ends     model.RankSet // where they end
	Examples []Place       // those with a completion first, at most maxExamples
}

// Place names one chain.
type Place struct {
	Rank        int
	Order, Time int64 // as in chain.Instance
}

// Breaks reports where the part belongs that the chain lacks of an invariant with so many operations: before its first one, behind its
// last one, or neither.
func (v *Violation) Breaks(operations int) (before, behind bool) {
	before = v.ChainAt == 0 && v.InvariantAt > 0
	behind = v.ChainAt+v.Matched == len(v.Chain.Ops) && v.InvariantAt+v.Matched < operations
	return before && !behind, behind && !before
}

// maxExamples bounds the instances that a violation names.
const maxExamples = 8

const (
	// minAbnormality of a violation, exclusive (paper, §4.4.1).
	minAbnormality = 0.7
	// minSuspicion is enough, exclusive, where the missing part was found nearby
	// by itself; where what it had written before was read instead, anything is.
	minSuspicion = 0.5
)

// Violations compares all groups of the trace with all invariants, and looks at
// the surroundings of those that are similar but rare (§4.4). The most suspicious
// come first. Those whose chain the training runs have are left out and counted:
// pruned. training may be nil.
func Violations(tr *chain.Trace, inv []Invariant, training *profile.Profile) (out []Violation, pruned int) {
	known := training.Counts()
	stale := countStale(tr)
	for i, c := range tr.Groups {
		key, frequency := c.Key(), c.Count
		if training != nil {
			frequency = known[key]
		}
		found := violationsOf(c, float64(frequency), inv, stale[int32(i)])
		if known[key] > 0 {
			pruned += len(found)
			continue
		}
		for _, v := range found {
			v.group = int32(i)
			out = append(out, v)
		}
	}
	checkSurroundings(out, tr, inv)
	out = slices.DeleteFunc(out, func(v Violation) bool {
		return v.Instances == 0 && v.superseded > 0 || v.Abnormality <= minAbnormality && !v.isBroken()
	})
	slices.SortStableFunc(out, moreSuspicious)
	return out, pruned
}

// countStale counts by group the instances that lack an operation before what they
// read, by that operation.
func countStale(tr *chain.Trace) map[int32]map[chain.Operation]int {
	out := map[int32]map[chain.Operation]int{}
	for _, track := range tr.Tracks {
		for _, c := range track.Chains {
			if c.Lost < 0 {
				continue
			}
			if out[c.Group] == nil {
				out[c.Group] = map[chain.Operation]int{}
			}
			out[c.Group][tr.Lost[c.Lost]]++
		}
	}
	return out
}

// violationsOf compares one group, of the given frequency, with all invariants. stale
// has the operations that its chains lack for certain: if there is an invariant with
// one of them, the others tell nothing.
func violationsOf(c chain.Group, frequency float64, inv []Invariant, stale map[chain.Operation]int) []Violation {
	var out []Violation
	certain := slices.ContainsFunc(inv, func(p Invariant) bool { return countLacking(p.Ops, stale) > 0 })
	for i, p := range inv {
		if frequency >= float64(p.Count) || slices.Equal(c.Ops, p.Ops) {
			continue
		}
		v := compareToInvariant(c, p.Group, frequency, float64(p.Count))
		v.Invariant, v.Stale = i, countLacking(v.Missing, stale)
		if v.Stale > 0 || v.Abnormality > minSuspicion && !certain {
			out = append(out, v)
		}
	}
	return out
}

// countLacking counts the instances that lack one of the operations for certain.
func countLacking(ops []chain.Operation, stale map[chain.Operation]int) (n int) {
	for _, op := range ops {
		n += stale[op]
	}
	return n
}

// moreSuspicious orders violations: those only at the edges of their ranks last,
// then by what their surroundings tell, then by abnormality.
func moreSuspicious(a, b Violation) int {
	if a.atEdge() != b.atEdge() {
		if a.atEdge() {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(b.Evidence, a.Evidence), cmp.Compare(b.Abnormality, a.Abnormality),
		a.Chain.Compare(b.Chain), cmp.Compare(a.Invariant, b.Invariant))
}

// atEdge reports whether all instances are at the beginning or end of their rank.
func (v *Violation) atEdge() bool { return v.Instances > 0 && v.Edge == v.Instances }

// isBroken reports whether most instances have the missing part beside them, in a
// chain of its own, as others do not, or read what it had written before.
func (v *Violation) isBroken() bool {
	return v.Evidence >= 0.5 && 2*v.Completions > v.Instances || 2*v.Stale > v.Instances
}
