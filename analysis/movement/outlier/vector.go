package outlier

import (
	"math"
	"slices"

	"laggard/analysis/movement/profile"
)

// distribution is the chain distributions of some ranks as vectors of shares
// (Equation 3), of which only the shares above 0 are kept.
type distribution struct {
	vectors []vector
	groups  int // number of groups
}

// vector is the shares of one rank, all 0 if it has no chains.
type vector struct {
	group []int32 // in rising order
	share []float64
}

func newVector(counts profile.Row) vector {
	total := 0.0
	for _, c := range counts {
		total += float64(c.Count)
	}
	v := vector{make([]int32, len(counts)), make([]float64, len(counts))}
	for i, c := range counts {
		v.group[i], v.share[i] = c.Group, float64(c.Count)/total
	}
	return v
}

func (v vector) compare(w vector) int {
	if c := slices.Compare(v.group, w.group); c != 0 {
		return c
	}
	return slices.Compare(v.share, w.share)
}

func newDistribution(rows []profile.Row, groups int) distribution {
	d := distribution{make([]vector, len(rows)), groups}
	for i, r := range rows {
		d.vectors[i] = newVector(r)
	}
	return d
}

// ruler measures Manhattan distances from one vector (Equation 4). It spreads
// that vector out, so that the other one can be walked through in its short
// form: Σ|a−b| = Σa + Σ(|a−b|−a) over the groups of b.
type ruler struct {
	shares []float64 // by group
	origin vector
	total  float64
}

func newRuler(groups int) *ruler { return &ruler{shares: make([]float64, groups)} }

// setOrigin makes v the vector that distances are measured from.
func (r *ruler) setOrigin(v vector) {
	for _, g := range r.origin.group {
		r.shares[g] = 0
	}
	r.origin, r.total = v, 0
	for i, g := range v.group {
		r.shares[g] = v.share[i]
		r.total += v.share[i]
	}
}

// rounding is below any distance that two different distributions can have:
// 10^12 chains would have to differ by less than one.
const rounding = 1e-13

// distanceTo measures the distance to v. There is no branch in the loop, which would be
// mispredicted every other time, and there are four sums, since one addition
// would wait for the other.
func (r *ruler) distanceTo(v vector) float64 {
	groups, shares := v.group, v.share
	var d0, d1, d2, d3 float64
	for len(groups) >= 4 && len(shares) >= 4 {
		a0, a1, a2, a3 := r.shares[groups[0]], r.shares[groups[1]], r.shares[groups[2]], r.shares[groups[3]]
		d0 += math.Abs(a0-shares[0]) - a0
		d1 += math.Abs(a1-shares[1]) - a1
		d2 += math.Abs(a2-shares[2]) - a2
		d3 += math.Abs(a3-shares[3]) - a3
		groups, shares = groups[4:], shares[4:]
	}
	for i, g := range groups {
		a := r.shares[g]
		d0 += math.Abs(a-shares[i]) - a
	}
	d := r.total + (d0 + d1) + (d2 + d3)
	if d < rounding {
		return 0
	}
	return d
}

// excessDistance measures the distance to v as to does, less what each group may vary.
func (r *ruler) excessDistance(v vector, varies []float64) (d float64) {
	r.eachShare(v, func(g int32, mine, theirs float64) { d += max(0, math.Abs(mine-theirs)-varies[g]) })
	return d
}

// eachShare calls f with the shares of each group that one of the two has.
func (r *ruler) eachShare(v vector, f func(group int32, mine, theirs float64)) {
	for i, g := range v.group {
		f(g, r.shares[g], v.share[i])
	}
	for i, g := range r.origin.group {
		if _, both := slices.BinarySearch(v.group, g); !both {
			f(g, r.origin.share[i], 0)
		}
	}
}

// topContributor returns the group that contributes most to the distance to v, and the
// shares of it on both sides; -1 without any. Of two that contribute the same,
// what the one side lacks the other has instead: then it is the one that from
// has more of.
func (r *ruler) topContributor(v vector) (group int32, mine, theirs float64) {
	group = -1
	r.eachShare(v, func(g int32, a, b float64) {
		more := math.Abs(a-b) - math.Abs(mine-theirs)
		if more > rounding || more > -rounding && group >= 0 && a-b > mine-theirs+rounding {
			group, mine, theirs = g, a, b
		}
	})
	return group, mine, theirs
}

// topSurplus returns the group of which the origin has most more than v, with the shares of it on both sides; -1 without any.
func (r *ruler) topSurplus(v vector) (group int32, mine, theirs float64) {
	group = -1
	r.eachShare(v, func(g int32, a, b float64) {
		if a-b > mine-theirs+rounding {
			group, mine, theirs = g, a, b
		}
	})
	return group, mine, theirs
}
