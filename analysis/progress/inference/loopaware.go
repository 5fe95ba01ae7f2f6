package inference

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/loops"
	"laggard/model"
)

// LoopAware names the algorithm that tells iterations of a loop apart.
const LoopAware = "loop-aware"

// loopAware orders ranks by how far they are in the program, iteration by iteration. The
// paper leaves ranks in one loop undefined (§3.2); comparing loop counts is
// what its successor Prodometer (PLDI 2014) added.
//
// From the outside inwards: in the whole program, and in one iteration of a loop,
// who is in a part that leads to another is behind who is there; in one part
// that is a loop, who has made fewer iterations is behind; in one call site, who is
// in the call is behind who has left it. Before all that come collectives on
// MPI_COMM_WORLD: all ranks make the same ones in the same order, so that who
// has begun fewer is behind.
type loopAware struct{}

// Name is that of Algorithm.
func (loopAware) Name() string { return LoopAware }

// Local counts the iterations of each rank.
func (loopAware) Local(sum *facts.Summary) Gatherer { return newStationGatherer(sum) }

// Order lays out the stations.
func (loopAware) Order(sum *facts.Summary, part *Partial) (Order, error) {
	if len(part.Edges) > 0 {
		return nil, fmt.Errorf("progress: edges of a PDG: %w", ErrMismatch)
	}
	o := &loopOrder{course: loops.NewProgram(&sum.Flow), at: make([]int, sum.Bound())}
	if err := o.addStations(sum, part.Stations); err != nil {
		return nil, err
	}
	all := make([]int, len(o.nodes))
	for i := range all {
		all[i] = i
	}
	o.byClock(all)
	return o, nil
}

// loopOrder is the order of ranks in a course.
type loopOrder struct {
	course *loops.Program
	nodes  []loopNode
	at     []int // by rank: 1 + its node; 0: it has none
}

// loopNode is ranks that are level.
type loopNode struct {
	at         facts.Position
	path       []loops.Step
	iterations []uint64 // by level, from 1
	clock      uint64   // collectives begun on MPI_COMM_WORLD
	ranks      []int
	layer      int
}

// iteration returns the iteration on a level of the path.
func (n *loopNode) iteration(level int) uint64 {
	if level < 1 || level > len(n.iterations) {
		return 0
	}
	return n.iterations[level-1]
}

func (o *loopOrder) addStations(sum *facts.Summary, stations []Station) error {
	places, clocks := sum.Positions(), worldClocks(sum)
	for _, s := range stations {
		if s.Place < 0 || s.Place >= len(places) {
			return fmt.Errorf("progress: station at place %d of %d: %w", s.Place, len(places), ErrMismatch)
		}
		nodes := map[uint64]int{} // by clock
		for _, rank := range s.Ranks.Slice() {
			if f := sum.FactOf(rank); f == nil || f.At != places[s.Place] {
				return fmt.Errorf("progress: rank %d is not at place %d: %w", rank, s.Place, ErrMismatch)
			}
			clock := clocks[rank]
			i, known := nodes[clock]
			if !known {
				i = len(o.nodes)
				nodes[clock] = i
				o.nodes = append(o.nodes, loopNode{at: places[s.Place], path: o.course.Loops(places[s.Place].State),
					iterations: s.Iterations, clock: clock})
			}
			o.nodes[i].ranks = append(o.nodes[i].ranks, rank)
			o.at[rank] = i + 1
		}
	}
	return nil
}

// worldClocks returns, by rank, the collectives begun on MPI_COMM_WORLD; all zero
// if they are not known of each rank that is past its start, or count on several worlds, as where processes were spawned.
func worldClocks(sum *facts.Summary) []uint64 {
	clocks := make([]uint64, sum.Bound())
	var known model.RankSet
	worlds := 0
	for _, c := range sum.Comms {
		if c.World {
			worlds++
			for _, n := range c.Counts {
				n.Ranks.Each(func(r int) {
					if r < len(clocks) {
						clocks[r] = n.N
					}
				})
				known = known.Union(n.Ranks)
			}
		}
	}
	unknown := func(f facts.Fact) bool { return !known.Contains(f.Rank) && f.Phase > model.Starting }
	if worlds > 1 || slices.ContainsFunc(sum.Facts, unknown) {
		clear(clocks)
	}
	return clocks
}

// nodeOf returns the node of a rank, false if it has none.
func (o *loopOrder) nodeOf(rank int) (int, bool) {
	if rank < 0 || rank >= len(o.at) || o.at[rank] == 0 {
		return 0, false
	}
	return o.at[rank] - 1, true
}

// byClock places nodes by their collectives, then by the course.
func (o *loopOrder) byClock(nodes []int) {
	base := 0
	for _, level := range o.groupByNumber(nodes, func(n *loopNode) uint64 { return n.clock }) {
		base = o.placeNodes(level, 0, base)
	}
}

// groupByNumber groups nodes by a number, in rising order.
func (o *loopOrder) groupByNumber(nodes []int, number func(n *loopNode) uint64) [][]int {
	groups := map[uint64][]int{}
	for _, i := range nodes {
		n := number(&o.nodes[i])
		groups[n] = append(groups[n], i)
	}
	var out [][]int
	for _, n := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, groups[n])
	}
	return out
}

// placeNodes gives layers, from base, to nodes in the same iteration of the loop on a
// level. It returns the first layer behind them.
func (o *loopOrder) placeNodes(nodes []int, level, base int) int {
	parts := map[loops.Step][]int{}
	var leaves []int
	for _, i := range nodes {
		if path := o.nodes[i].path; level < len(path) {
			parts[path[level]] = append(parts[path[level]], i)
		} else {
			leaves = append(leaves, i)
		}
	}
	end := o.placeCalls(leaves, base)
	tops := map[loops.Step]int{}
	for _, part := range o.inOrder(parts) {
		first := base
		for before, top := range tops {
			if o.course.Leads(before, part) {
				first = max(first, top)
			}
		}
		tops[part] = o.placePart(parts[part], level, first)
		end = max(end, tops[part])
	}
	return end
}

// placePart places nodes in one part of a loop: by iterations if it is a loop.
func (o *loopOrder) placePart(nodes []int, level, base int) int {
	for _, iteration := range o.groupByNumber(nodes, func(n *loopNode) uint64 { return n.iteration(level + 1) }) {
		base = o.placeNodes(iteration, level+1, base)
	}
	return base
}

// placeCalls places nodes at one call site.
func (o *loopOrder) placeCalls(nodes []int, base int) int {
	left := func(n *loopNode) uint64 {
		if n.at.InMPI {
			return 0
		}
		return 1
	}
	for _, side := range o.groupByNumber(nodes, left) {
		for _, i := range side {
			o.nodes[i].layer = base
		}
		base++
	}
	return base
}

// inOrder sorts parts so that each comes behind those that lead to it.
func (o *loopOrder) inOrder(parts map[loops.Step][]int) []loops.Step {
	before := map[loops.Step]int{}
	var out []loops.Step
	for p := range parts {
		out = append(out, p)
		for q := range parts {
			if o.course.Leads(q, p) {
				before[p]++
			}
		}
	}
	slices.SortFunc(out, func(p, q loops.Step) int { return cmp.Or(before[p]-before[q], p.Part-q.Part) })
	return out
}

// Layers lists the nodes by layer.
func (o *loopOrder) Layers() [][]model.RankSet {
	var out [][]model.RankSet
	for _, n := range o.nodes {
		for len(out) <= n.layer {
			out = append(out, nil)
		}
		out[n.layer] = append(out[n.layer], model.NewRankSet(n.ranks...))
	}
	return out
}

// Relate goes by collectives, then it walks down the loops that both ranks are in.
func (o *loopOrder) Relate(a, b int) (Code, Why) {
	i, known := o.nodeOf(a)
	k, both := o.nodeOf(b)
	if !known || !both || i == k {
		return Null, Why{}
	}
	x, y := &o.nodes[i], &o.nodes[k]
	if x.clock != y.clock {
		return aheadCode(x.clock > y.clock), Why{Kind: ByCollectives, More: max(x.clock, y.clock), Fewer: min(x.clock, y.clock)}
	}
	return o.relateInCourse(x, y)
}

// Further reports whether rank a is further in the program than rank b, whatever the
// collectives that they have begun: of ranks that do not make the same ones these
// say nothing.
func (o *loopOrder) Further(a, b int) bool {
	i, known := o.nodeOf(a)
	k, both := o.nodeOf(b)
	if !known || !both || i == k {
		return false
	}
	x, y := &o.nodes[i], &o.nodes[k]
	code, _ := o.relateInCourse(x, y)
	return code == Forward && !o.maybeInside(x, y)
}

// maybeInside reports whether x may be in a loop that y is in and x seems to be
// behind: no rank continued from where x is, so that the way back may be missing.
func (o *loopOrder) maybeInside(x, y *loopNode) bool {
	level := 0
	for level < min(len(x.path), len(y.path)) && x.path[level] == y.path[level] {
		level++
	}
	return level+1 < len(y.path) && o.course.Last(x.at.State)
}

func (o *loopOrder) relateInCourse(x, y *loopNode) (Code, Why) {
	for level := 0; level < len(x.path) && level < len(y.path); level++ {
		p, q := x.path[level], y.path[level]
		if p != q {
			return o.relateParts(p, q)
		}
		if s, t := x.iteration(level+1), y.iteration(level+1); s != t {
			return aheadCode(s > t), Why{Kind: ByIterations, More: max(s, t), Fewer: min(s, t), Level: level + 1}
		}
	}
	if x.at.State == y.at.State && x.at.InMPI != y.at.InMPI {
		return aheadCode(!x.at.InMPI), Why{Kind: ByReturn}
	}
	return Null, Why{}
}

// relateParts relates two parts of one iteration.
func (o *loopOrder) relateParts(p, q loops.Step) (Code, Why) {
	switch {
	case o.course.Leads(p, q):
		return Backward, Why{Kind: ByCourse}
	case o.course.Leads(q, p):
		return Forward, Why{Kind: ByCourse}
	case o.course.HasMixedOrder(p.Loop):
		return Undefined, Why{Kind: MixedOrder}
	}
	return Null, Why{}
}

// aheadCode returns the code of a pair of which the first is ahead, or behind.
func aheadCode(first bool) Code {
	if first {
		return Forward
	}
	return Backward
}
