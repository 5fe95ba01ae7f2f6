package timeline

import (
	"math"
	"slices"

	"laggard/model"
)

// leaves is how many of the shortest windows ranks are compared in, a power of two.
const leaves = 64

// The kinds of share that ranks are compared by.
const (
	computingShare = iota
	waitingShare
	ioShare
	absentShare
	starvedShare
	aliveShare
	shareKinds
)

// window is what a rank did in a part of the time, in samples.
type window [shareKinds]uint32

// likeness is what tells whether ranks are alike: what one did in each of the shortest windows.
type likeness struct {
	Rank    int
	Windows []window
}

// newLikeness is that of a track, whose scale is that of all.
func newLikeness(t *track) likeness {
	l := likeness{Rank: t.rank, Windows: make([]window, windowsOf(t.scale))}
	for i := range t.cells {
		c, w := &t.cells[i], &l.Windows[i*len(l.Windows)/len(t.cells)]
		w[computingShare] += c.computing
		w[waitingShare] += c.waiting
		w[ioShare] += c.io
		w[absentShare] += c.absent()
		w[starvedShare] += uint32(int64(c.starved) * t.hz / 1000)
		w[aliveShare] += c.expected
	}
	return l
}

// windowsOf is how many of the shortest windows a scale is divided into, a power of two.
func windowsOf(s Scale) int {
	n := 1
	for 2*n <= min(s.Columns, leaves) {
		n *= 2
	}
	return n
}

// pyramid has the shares of windows of all lengths: of the whole, of its halves, down to the shortest.
type pyramid [][shareKinds]float64

// newPyramid makes one of the shortest windows, of which each could have so many samples.
func newPyramid(windows []window, full float64) pyramid {
	n := len(windows)
	p := make(pyramid, 2*n-1)
	for i, w := range windows {
		for k, samples := range w {
			p[n-1+i][k] = float64(samples) / full
		}
	}
	for i := n - 2; i >= 0; i-- {
		for k := range p[i] {
			p[i][k] = (p[2*i+1][k] + p[2*i+2][k]) / 2
		}
	}
	return p
}

// tolerance is how far shares of ranks that are alike may differ, beyond what sampling alone can.
const tolerance = 0.1

// newLimits are how far the shares of alike ranks may differ in each window of a pyramid over n of the shortest: by the
// tolerance, and by what chance does to samples, three standard deviations of a share of one half.
func newLimits(n int, full, tolerance float64) []float64 {
	limits := make([]float64, 0, 2*n-1)
	for parts := 1; parts <= n; parts *= 2 {
		samples := full * float64(n/parts)
		for range parts {
			limits = append(limits, tolerance+3*math.Sqrt(0.25/max(1, samples)))
		}
	}
	return limits
}

// isAlike reports whether shares differ in no window by more than its limit.
func (p pyramid) isAlike(q pyramid, limits []float64) bool {
	for i, limit := range limits {
		for k := range p[i] {
			if math.Abs(p[i][k]-q[i][k]) > limit {
				return false
			}
		}
	}
	return true
}

// group is ranks that are alike.
type group struct {
	ranks model.RankSet
	apart bool
	mean  pyramid
}

// groupAlike divides ranks, in rising order, into groups of those that are alike: at most so many, if ranks
// that differ more have to be put together for that. Ranks apart are in groups
// without others. full is how many samples a shortest window could have. The groups come in order of their first ranks.
func groupAlike(all []likeness, rows int, apart model.RankSet, full float64) []model.RankSet {
	pyramids := make([]pyramid, len(all))
	for i := range all {
		pyramids[i] = newPyramid(all[i].Windows, full)
	}
	var groups []*group
	for limit := tolerance; ; limit *= 1.5 {
		limits := newLimits(len(all[0].Windows), full, limit)
		groups = groups[:0]
		for i := 0; i < len(all) && (len(groups) <= rows || limit >= 1); i++ {
			groups = joinAlike(groups, all[i].Rank, pyramids[i], apart.Contains(all[i].Rank), limits)
		}
		if len(groups) <= rows || limit >= 1 {
			break
		}
	}
	out := make([]model.RankSet, len(groups))
	for i, g := range groups {
		out[i] = g.ranks
	}
	slices.SortFunc(out, func(a, b model.RankSet) int { return a.Min() - b.Min() })
	return out
}

// joinAlike adds a rank to the first group that it is like, or to a new one.
func joinAlike(groups []*group, rank int, p pyramid, apart bool, limits []float64) []*group {
	for _, g := range groups {
		if g.apart == apart && g.mean.isAlike(p, limits) {
			g.add(rank, p)
			return groups
		}
	}
	return append(groups, &group{model.NewRankSet(rank), apart, slices.Clone(p)})
}

// add adds a rank, and what it did to the mean.
func (g *group) add(rank int, p pyramid) {
	n := float64(g.ranks.Len())
	for i := range g.mean {
		for k := range g.mean[i] {
			g.mean[i][k] += (p[i][k] - g.mean[i][k]) / (n + 1)
		}
	}
	g.ranks.Add(rank)
}
