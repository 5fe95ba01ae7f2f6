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

// planner keeps the plans of a block; nearly always the next rank has one.
type planner struct {
	*course
	plans map[uint64][]*plan
}

func (c *planner) planFor(m *model.Model, at Position) *plan {
	key := shapeHash(m)
	for _, p := range c.plans[key] {
		if p.at == at && sameShape(p.model, m) {
			return p
		}
	}
	p := c.newPlan(m, at)
	c.plans[key] = append(c.plans[key], p)
	return p
}

// stations folds a block of ranks.
func stations(ranks []*model.Rank, sum *Summary) []Station {
	places := map[Position]int{}
	for i, p := range sum.Positions() {
		places[p] = i
	}
	c := planner{newCourse(&sum.Flow), map[uint64][]*plan{}}
	found, ranksOf := map[string]Station{}, map[string][]int{}
	for _, r := range ranks {
		if !inWorld(r) {
			continue
		}
		t := representative(r)
		at := positionOf(t)
		place, known := places[at]
		if !known {
			continue
		}
		s := Station{Place: place, Turns: c.planFor(&t.Model, at).turns(&t.Model)}
		key := s.key()
		found[key], ranksOf[key] = s, append(ranksOf[key], r.Rank)
	}
	var out []Station
	for key, s := range found {
		s.Ranks = model.NewRankSet(ranksOf[key]...)
		out = append(out, s)
	}
	slices.SortFunc(out, compareStations)
	return out
}

func (s *Station) key() string {
	b := binary.LittleEndian.AppendUint64(nil, uint64(s.Place))
	for _, n := range s.Turns {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return string(b)
}
