package invariant

import (
	"math"
	"slices"

	"laggard/analysis/movement/chain"
	"laggard/internal/parallel"
)

// maxContexts is about how many chains give the base rate: of more, every
// second, third … is taken.
const maxContexts = 1 << 20

// surroundings looks at the chains just before and after a chain (§4.4.2).
type surroundings struct {
	hasMissing     []bool // by group: it has an operation that is missed
	frequent       []bool // by group: it is an invariant
	invariantGroup int32  // group of the invariant that is violated, -1 not there
}

// window is how many chains before and after an instance are its surroundings.
const window = 3

// matchAround reports whether a chain close to the one at i has the operations, and
// whether one does that is not frequent.
func (s surroundings) matchAround(track []chain.Instance, i int) (hit, completed bool) {
	for j := max(0, i-window); j < min(len(track), i+window+1); j++ {
		if g := track[j].Group; j != i && s.hasMissing[g] && !track[j].Superseded { // what came again is no part of another
			hit = true
			completed = completed || !s.frequent[g]
		}
	}
	return hit, completed
}

// invariantSpan returns the first and the last place of the invariant in a track; a
// track without it has no edges.
func (s surroundings) invariantSpan(track []chain.Instance) (first, last int) {
	is := func(c chain.Instance) bool { return c.Group == s.invariantGroup }
	first = slices.IndexFunc(track, is)
	if first < 0 {
		return 0, len(track)
	}
	for last = len(track) - 1; !is(track[last]); last-- {
	}
	return first, last
}

// rate counts chains, those with a missed operation near, and those with one
// near in a chain that is not frequent.
type rate struct{ chains, hits, completions int }

func (r *rate) add(hit, completed bool) {
	r.chains++
	if hit {
		r.hits++
	}
	if completed {
		r.completions++
	}
}

// checkSurroundings looks at the surroundings of every instance of the violating
// chains: do the operations that it lacks occur there? A frequent operation
// does so around any chain, hence the comparison with the rate around others.
func checkSurroundings(list []Violation, tr *chain.Trace, inv []Invariant) {
	frequent := make([]bool, len(tr.Groups))
	for i, g := range tr.Groups {
		frequent[i] = slices.ContainsFunc(inv, func(p Invariant) bool { return slices.Equal(p.Ops, g.Ops) })
	}
	total := 0
	for _, track := range tr.Tracks {
		total += len(track.Chains)
	}
	stride := 1 + total/maxContexts
	parallel.ForEach(len(list), func(i int) {
		v := &list[i]
		is := func(g chain.Group) bool { return slices.Equal(g.Ops, inv[v.Invariant].Ops) }
		usual := int32(slices.IndexFunc(tr.Groups, is))
		v.countInstances(tr, surroundings{groupsHaving(v.Missing, tr.Groups), frequent, usual}, stride)
	})
}

// groupsHaving marks the groups that have one of the operations.
func groupsHaving(ops []chain.Operation, groups []chain.Group) []bool {
	out := make([]bool, len(groups))
	for i, g := range groups {
		out[i] = slices.ContainsFunc(g.Ops, func(op chain.Operation) bool { return slices.Contains(ops, op) })
	}
	return out
}

// countInstances goes through the instances of one violation, and through every
// stride-th of the other chains. A message that was thrown away and came again is none.
func (v *Violation) countInstances(tr *chain.Trace, near surroundings, stride int) {
	var own, others rate
	var complete, bare []Place
	seen := 0
	for _, track := range tr.Tracks {
		first, last := near.invariantSpan(track.Chains)
		for i, c := range track.Chains {
			if c.Group == v.group && c.Superseded {
				v.superseded++
			}
			if c.Group != v.group || c.Superseded {
				if seen++; seen%stride == 0 {
					others.add(near.matchAround(track.Chains, i))
				}
				continue
			}
			hit, completed := near.matchAround(track.Chains, i)
			own.add(hit, completed)
			if i < first || i > last {
				v.Edge++
			}
			v.Ranks.Add(track.Rank)
			v.Ends.Add(int(c.End))
			if place := (Place{track.Rank, c.Order, c.Time}); completed {
				complete = appendExample(complete, place)
			} else {
				bare = appendExample(bare, place)
			}
		}
	}
	v.Instances, v.ContextMatches, v.Completions = own.chains, own.hits, own.completions
	v.Examples = append(complete, bare...)
	v.Examples = v.Examples[:min(len(v.Examples), maxExamples)]
	v.Evidence = max(0, excessRate(own.hits, own.chains, others.hits, others.chains),
		excessRate(own.completions, own.chains, others.completions, others.chains), lowerBound(v.Stale, own.chains))
}

func appendExample(list []Place, p Place) []Place {
	if len(list) < maxExamples {
		list = append(list, p)
	}
	return list
}

// excessRate is how far a rate lies, at least, above a base rate.
func excessRate(hits, n, baseHits, base int) float64 {
	return lowerBound(hits, n) - float64(baseHits)/float64(max(base, 1))
}

// lowerBound is Wilson's lower bound of the rate hits/n, at 95 % confidence
// two-sided.
func lowerBound(hits, n int) float64 {
	if n == 0 {
		return 0
	}
	const z = 1.959963984540054
	p, m := float64(hits)/float64(n), float64(n)
	return (p + z*z/(2*m) - z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))) / (1 + z*z/m)
}
