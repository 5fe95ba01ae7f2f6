package loops

import (
	"cmp"
	"math"
	"slices"

	"laggard/analysis/waitfor"
	"laggard/reduce"
)

// maxNest bounds how deep loops are told apart. What lies deeper is one loop.
const maxNest = 24

// maxBodies bounds the work to tell loops apart that start with the same call.
const maxBodies = 1 << 22

// nestArc is an arc between sites 0..n-1; to most ranks it leads on (forward),
// or back, in a loop of that depth.
type nestArc struct {
	from, to int
	forward  bool
	depth    int
}

// nest is the loops of a graph, one inside the other. A loop is a strongly
// connected component; the sites where it is entered are its head, and the
// arcs that lead back to them begin the next iteration. An entry that is alone
// dominates the loop: that is the natural loop of the literature. Without these
// arcs the component falls apart into the parts of the body, which may be
// loops again. With several entries (an irreducible graph) all are the head.
type nest struct {
	arcs       []nestArc // by from, to; each once
	next, prev [][]int   // by site: arcs
	cut        []int     // by arc: the level of the loop whose next iteration it begins, 0 none
	loops      []loop    // loops[0] is the whole program
	path       [][]Step  // by site, from the outside
	order      map[Step]map[int]bool
	tarjan     waitfor.Tarjan
}

// Step says which part of a loop a site belongs to. A part goes by its first
// site.
type Step struct{ Loop, Part int }

type loop struct {
	entries    []int
	back       map[int]bool // arcs that begin the next iteration
	idle       bool         // all it does is poll
	mixedOrder bool         // it has no order inside: ranks go through it in different ways
	next       map[int][]int
}

// splitter chooses, among the arcs of a component (inside), those that begin
// the next iteration. It says false if it had to break cycles that are none.
type splitter func(n *nest, sites, entries, inside []int) (back []int, clear bool)

// newNest finds the loops of a graph. The sites for which idle is true poll.
func newNest(sites int, arcs []nestArc, split splitter, idle func(site int) bool) *nest {
	n := &nest{
		arcs: joinedArcs(arcs), next: make([][]int, sites), prev: make([][]int, sites),
		path: make([][]Step, sites), order: map[Step]map[int]bool{},
	}
	n.cut = make([]int, len(n.arcs))
	for i, a := range n.arcs {
		n.next[a.from] = append(n.next[a.from], i)
		n.prev[a.to] = append(n.prev[a.to], i)
	}
	all := make([]int, sites)
	for i := range all {
		all[i] = i
	}
	n.loops = []loop{{}}
	n.fillLoop(0, all, split, 0)
	for i := range n.loops {
		n.loops[i].idle = idle != nil && i > 0
	}
	for site, path := range n.path {
		if idle != nil && !idle(site) {
			for _, s := range path {
				n.loops[s.Loop].idle = false
			}
		}
	}
	return n
}

// joinedArcs sorts arcs and joins those between the same sites.
func joinedArcs(arcs []nestArc) []nestArc {
	return reduce.SortJoined(slices.Clone(arcs), compareNestArcs, func(x, y nestArc) nestArc {
		return nestArc{x.from, x.to, x.forward || y.forward, max(x.depth, y.depth)}
	})
}

func compareNestArcs(x, y nestArc) int { return cmp.Or(x.from-y.from, x.to-y.to) }

// fillLoop divides the sites of a loop into parts, and looks for loops in these.
func (n *nest) fillLoop(id int, sites []int, split splitter, level int) {
	parts := n.components(sites)
	for _, part := range parts {
		for _, s := range part {
			n.path[s] = append(n.path[s], Step{id, part[0]})
		}
	}
	n.linkParts(id, sites, level)
	for _, part := range parts {
		if inside := n.innerArcs(part, level); len(inside) > 0 {
			n.fillLoop(n.cutLoop(part, inside, split, level+1), part, split, level+1)
		}
	}
}

// cutLoop adds a loop and cuts the arcs that begin its next iteration.
func (n *nest) cutLoop(sites, inside []int, split splitter, level int) int {
	l := loop{entries: n.entrySites(sites, level-1), back: map[int]bool{}}
	back, clear := inside, false
	if level < maxNest {
		back, clear = split(n, sites, l.entries, inside)
	}
	l.mixedOrder = !clear
	for _, a := range back {
		l.back[a] = true
		n.cut[a] = level
	}
	n.loops = append(n.loops, l)
	return len(n.loops) - 1
}

// stepAt returns the step of a site on a level.
func (n *nest) stepAt(site, level int) (Step, bool) {
	if level >= len(n.path[site]) {
		return Step{}, false
	}
	return n.path[site][level], true
}

// staysInPart reports whether an arc stays in one part of the level.
func (n *nest) staysInPart(a, level int) bool {
	from, _ := n.stepAt(n.arcs[a].from, level)
	to, known := n.stepAt(n.arcs[a].to, level)
	return known && from == to
}

// innerArcs lists the arcs, not cut, that stay in the part that the sites are.
func (n *nest) innerArcs(sites []int, level int) []int {
	var out []int
	for _, s := range sites {
		for _, a := range n.next[s] {
			if n.cut[a] == 0 && n.staysInPart(a, level) {
				out = append(out, a)
			}
		}
	}
	return out
}

// entrySites lists the sites of a part that are come to from outside, or by an
// arc that begins an iteration of a loop around it; the first site if there are none.
func (n *nest) entrySites(sites []int, level int) []int {
	var out []int
	for _, s := range sites {
		if slices.ContainsFunc(n.prev[s], func(a int) bool { return n.cut[a] > 0 || !n.staysInPart(a, level) }) {
			out = append(out, s)
		}
	}
	if out == nil {
		return sites[:1]
	}
	return out
}

// linkParts notes which parts of a loop follow which.
func (n *nest) linkParts(id int, sites []int, level int) {
	next := map[int][]int{}
	for _, s := range sites {
		for _, a := range n.next[s] {
			to, known := n.stepAt(n.arcs[a].to, level)
			from := n.path[s][level]
			if known && n.cut[a] == 0 && to.Loop == id && to.Part != from.Part {
				next[from.Part] = append(next[from.Part], to.Part)
			}
		}
	}
	n.loops[id].next = next
}

// components returns the strongly connected components among sites, each
// ascending, by their first site. Cut arcs do not count.
func (n *nest) components(sites []int) [][]int {
	out := n.tarjan.Components(sites, func(s int) []int {
		var to []int
		for _, a := range n.next[s] {
			if n.cut[a] == 0 {
				to = append(to, n.arcs[a].to)
			}
		}
		return to
	})
	slices.SortFunc(out, func(a, b []int) int { return a[0] - b[0] })
	return out
}

// arcsInto lists the arcs, of some, that lead to an entry.
func (n *nest) arcsInto(entries, arcs []int) []int {
	var out []int
	for _, a := range arcs {
		if _, is := slices.BinarySearch(entries, n.arcs[a].to); is {
			out = append(out, a)
		}
	}
	return out
}

// splitSingle chooses in the model of one rank. Of several entries the one
// that the rank came to first is the head: its states are numbered so. Arcs to the same head may
// belong to loops one inside the other: then the iteration of the outer one begins
// with those whose way round is not part of a longer one.
func splitSingle(n *nest, sites, entries, inside []int) ([]int, bool) {
	entries = entries[:1]
	back := n.arcsInto(entries, inside)
	if len(back) < 2 || len(back)*len(inside) > maxBodies {
		return back, true
	}
	bodies := make([]map[int]bool, len(back))
	for i, a := range back {
		bodies[i] = n.naturalLoop(n.arcs[a].from, entries[0], inside)
	}
	var outer []int
	for i, a := range back {
		within := false
		for k, b := range back {
			within = within || bodies[k][n.arcs[a].from] && !bodies[i][n.arcs[b].from]
		}
		if !within {
			outer = append(outer, a)
		}
	}
	return outer, true
}

// naturalLoop returns the natural loop of an arc from the tail to the head: what
// reaches the tail without passing the head.
func (n *nest) naturalLoop(tail, head int, inside []int) map[int]bool {
	usable := make(map[int]bool, len(inside))
	for _, a := range inside {
		usable[a] = true
	}
	body := map[int]bool{head: true, tail: true}
	for queue := []int{tail}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == head {
			continue
		}
		for _, a := range n.prev[queue[0]] {
			if from := n.arcs[a].from; usable[a] && !body[from] {
				body[from] = true
				queue = append(queue, from)
			}
		}
	}
	return body
}

// splitUnion returns a splitter for the union of models. It follows what
// most single ranks saw: an arc that leads on for them leads on. Arcs to one
// head that are of different depth are told apart only if the ranks agree
// better on the iterations of the outer loop than on the visits to the head: else
// the arcs differ by a branch that ranks take differently.
func splitUnion(nested func(site int) bool) splitter {
	return func(n *nest, sites, entries, inside []int) ([]int, bool) {
		all := n.arcsInto(entries, inside)
		var ways []int
		lowest := math.MaxInt
		for _, a := range all {
			if arc := n.arcs[a]; !arc.forward && arc.depth > 0 {
				ways, lowest = append(ways, a), min(lowest, arc.depth)
			}
		}
		if len(ways) == 0 {
			return all, false
		}
		back := slices.DeleteFunc(ways, func(a int) bool {
			return n.arcs[a].depth > lowest && nested(n.arcs[a].to)
		})
		return back, true
	}
}

// backLevel tells which level of loops an arc leads back in, 0 none.
func (n *nest) backLevel(from, to int) int {
	i, _ := slices.BinarySearchFunc(n.arcs, nestArc{from: from, to: to}, compareNestArcs)
	return n.cut[i]
}

// partLeadsTo reports whether one part of a loop leads to another within an iteration.
func (n *nest) partLeadsTo(id, from, to int) bool {
	key := Step{id, from}
	if n.order[key] == nil {
		seen := map[int]bool{}
		for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
			for _, p := range n.loops[id].next[queue[0]] {
				if !seen[p] {
					seen[p] = true
					queue = append(queue, p)
				}
			}
		}
		n.order[key] = seen
	}
	return n.order[key][to]
}
