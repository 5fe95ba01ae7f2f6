package progress

import (
	"cmp"
	"encoding/binary"
	"slices"

	"laggard/model"
)

// Station is a position together with how often the ranks there have gone
// round the loops that it lies in.
type Station struct {
	Place int           `json:"place"`           // index among the summary's distinct positions
	Turns []uint64      `json:"turns,omitempty"` // by loop, from the outermost
	Ranks model.RankSet `json:"ranks"`
}

func compareStations(x, y Station) int {
	return cmp.Or(cmp.Compare(x.Place, y.Place), slices.Compare(x.Turns, y.Turns))
}

func joinStations(x, y Station) Station {
	return Station{x.Place, x.Turns, x.Ranks.Union(y.Ranks)}
}

// course is the loops of the merged flow.
type course struct {
	nest  *nest
	sites map[model.StateID]int
}

// rounding is more than what is lost in the variance of small numbers.
const rounding = 1e-6

func newCourse(f *Flow) *course {
	c := &course{sites: make(map[model.StateID]int, len(f.Sites))}
	for i, s := range f.Sites {
		c.sites[s.ID] = i
	}
	var arcs []nestArc
	for _, a := range f.Arcs {
		from, known := c.sites[a.From]
		to, both := c.sites[a.To]
		if known && both {
			arcs = append(arcs, nestArc{from, to, a.Forward >= a.Back, a.Depth})
		}
	}
	nested := func(site int) bool { return f.Sites[site].Turns.variance() <= f.Sites[site].Visits.variance()+rounding }
	c.nest = newNest(len(f.Sites), arcs, splitUnion(nested), func(site int) bool { return f.Sites[site].Poll })
	return c
}

// path returns the loops around a position, from the whole program inwards,
// with the part of each that it lies in; empty if it is not known.
func (c *course) path(p Position) []step {
	site, known := c.sites[p.State]
	if !known {
		return nil
	}
	return c.nest.path[site]
}

// plan says, for ranks of one shape at one position, which edges begin turns of
// the loops around them.
type plan struct {
	model *model.Model
	at    Position
	terms []term
	loops int
}

// term adds the count of an edge (-1: the one step from the start) to a loop,
// from 0, the outermost.
type term struct{ edge, loop int }

// newPlan finds the edges that begin a turn of one of the loops around a
// position. Loops that only poll have none.
func (c *course) newPlan(m *model.Model, at Position) *plan {
	path := c.path(at)
	p := &plan{model: m, at: at, loops: max(len(path)-1, 0)}
	nodes := c.nodes(m)
	for _, e := range passagesOf(m) {
		for level := 1; level < len(path); level++ {
			if c.begins(path[level].loop, level, nodes[e.from], nodes[e.to]) {
				p.terms = append(p.terms, term{e.edge, level - 1})
			}
		}
	}
	return p
}

// nodes returns, for the nodes of passagesOf, the sites.
func (c *course) nodes(m *model.Model) []int {
	nodes := make([]int, 1, len(m.States)+1)
	nodes[0] = c.site(model.StateID{})
	for _, s := range m.States {
		nodes = append(nodes, c.site(s.ID))
	}
	return nodes
}

// site returns the number of a site, -1 if there is none.
func (c *course) site(id model.StateID) int {
	if i, known := c.sites[id]; known {
		return i
	}
	return -1
}

// begins tells whether a passage begins a turn of a loop on a level: it comes
// from outside, or leads back.
func (c *course) begins(loop, level, from, to int) bool {
	n := c.nest
	if from < 0 || to < 0 || n.loops[loop].idle {
		return false
	}
	into, inside := n.part(to, level)
	if !inside || into.loop != loop {
		return false
	}
	if was, inside := n.part(from, level); !inside || was.loop != loop {
		return true
	}
	arc, known := slices.BinarySearchFunc(n.arcs, nestArc{from: from, to: to}, compareNestArcs)
	return known && n.loops[loop].back[arc]
}

// turns counts how often a rank has gone round each loop that it is in.
func (p *plan) turns(m *model.Model) []uint64 {
	if p.loops == 0 {
		return nil
	}
	out := make([]uint64, p.loops)
	for _, t := range p.terms {
		if t.edge < 0 {
			out[t.loop]++
		} else {
			out[t.loop] += m.Edges[t.edge].Count
		}
	}
	return out
}

// stationGatherer counts the turns of each rank. Ranks of one shape at one
// place share a plan; nearly always the next rank has one.
type stationGatherer struct {
	*course
	places map[Position]int
	plans  map[uint64][]*plan
	last   *plan
	found  map[string]*gathered
	key    []byte
}

// gathered is a station whose ranks are not sorted yet.
type gathered struct {
	Station
	ranks []int
}

func newStationGatherer(sum *Summary) *stationGatherer {
	g := &stationGatherer{course: newCourse(&sum.Flow), places: map[Position]int{}, plans: map[uint64][]*plan{}, found: map[string]*gathered{}}
	for i, p := range sum.Positions() {
		g.places[p] = i
	}
	return g
}

// Add is that of Gatherer.
func (g *stationGatherer) Add(rank int, t *model.Thread) {
	at := positionOf(t)
	place, known := g.places[at]
	if !known {
		return
	}
	s := Station{Place: place, Turns: g.planFor(&t.Model, at).turns(&t.Model)}
	g.key = s.appendKey(g.key[:0])
	f := g.found[string(g.key)]
	if f == nil {
		f = &gathered{Station: s}
		g.found[string(g.key)] = f
	}
	f.ranks = append(f.ranks, rank)
}

// Partial is that of Gatherer.
func (g *stationGatherer) Partial() Partial {
	var out []Station
	for _, f := range g.found {
		f.Ranks = model.NewRankSet(f.ranks...)
		out = append(out, f.Station)
	}
	slices.SortFunc(out, compareStations)
	return Partial{Stations: out}
}

func (g *stationGatherer) planFor(m *model.Model, at Position) *plan {
	if g.last != nil && g.last.at == at && sameShape(g.last.model, m) {
		return g.last
	}
	key := shapeHash(m)
	for _, p := range g.plans[key] {
		if p.at == at && sameShape(p.model, m) {
			g.last = p
			return p
		}
	}
	g.last = g.newPlan(m, at)
	g.plans[key] = append(g.plans[key], g.last)
	return g.last
}

func (s *Station) appendKey(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Place))
	for _, n := range s.Turns {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}
