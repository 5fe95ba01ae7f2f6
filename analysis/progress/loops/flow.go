package loops

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"unsafe"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/reduce"
)

// Flow is the union of the models of all ranks, so that all agree on what is
// a loop: a rank in its first iteration has not seen the way back yet, and one that
// takes another branch never will.
type Flow struct {
	Sites []Site // by ID; the zero ID is the start of the program
	Arcs  []Arc  // by From, To
}

// Site is a call site, with how often ranks went through it.
type Site struct {
	ID   model.StateID
	Poll bool // a call that does not wait, such as MPI_Test
	// Visits spreads over the ranks how often each was there. Iterations leaves out
	// coming back to it in a loop inside another.
	Visits, Iterations Spread
}

// Arc is a passage from one site to the next, made by some rank.
type Arc struct {
	From, To model.StateID
	// Forward are the ranks to which it leads on, Back those to which it leads
	// back to the head of a loop.
	Forward, Back uint64
	// Depth is that of the loop it leads back in, the greatest in the models
	// of single ranks; 1 is an outermost loop, 0 none.
	Depth int
}

// Spread sums up one number per rank. Numbers above 2^24 count as that and
// sums stay at the greatest integer, so that adding is associative.
type Spread struct {
	Ranks       uint64
	Sum         uint64
	Squares     uint64
	Least, Most uint64 // 0 without ranks
}

func (s Spread) add(n uint64) Spread {
	n = min(n, 1<<24)
	return s.join(Spread{1, n, n * n, n, n})
}

func (s Spread) join(t Spread) Spread {
	switch {
	case s.Ranks == 0:
		return t
	case t.Ranks == 0:
		return s
	}
	return Spread{
		saturated(s.Ranks, t.Ranks), saturated(s.Sum, t.Sum), saturated(s.Squares, t.Squares), min(s.Least, t.Least), max(s.Most, t.Most),
	}
}

func saturated(a, b uint64) uint64 {
	if a+b < a {
		return math.MaxUint64
	}
	return a + b
}

// Surplus is by how much the numbers of some ranks, as many as told, exceed those of all others, if each of the two has one number; else 0.
func (s Spread) Surplus(some uint64) uint64 {
	n, more := s.Least, s.Most-s.Least
	others := s.Ranks - some
	// As no number is below the least or above the most, both sums hold for these two numbers alone.
	if some >= s.Ranks || s.Sum != others*n+some*s.Most || s.Squares != others*n*n+some*s.Most*s.Most {
		return 0
	}
	return more
}

// variance tells how little the ranks agree on the number.
func (s Spread) variance() float64 {
	if s.Ranks == 0 {
		return 0
	}
	mean := float64(s.Sum) / float64(s.Ranks)
	return float64(s.Squares)/float64(s.Ranks) - mean*mean
}

// SiteOf returns a site; nil: no rank was there.
func (f *Flow) SiteOf(id model.StateID) *Site {
	i, known := slices.BinarySearchFunc(f.Sites, Site{ID: id}, compareSites)
	if !known {
		return nil
	}
	return &f.Sites[i]
}

// Merge joins the flows of two blocks of ranks.
func Merge(a, b Flow) Flow {
	return Flow{
		Sites: reduce.MergeSorted(a.Sites, b.Sites, compareSites, joinSites),
		Arcs:  reduce.MergeSorted(a.Arcs, b.Arcs, compareArcs, joinArcs),
	}
}

func compareSites(x, y Site) int { return bytes.Compare(x.ID[:], y.ID[:]) }

func joinSites(x, y Site) Site {
	return Site{x.ID, x.Poll || y.Poll, x.Visits.join(y.Visits), x.Iterations.join(y.Iterations)}
}

func compareArcs(x, y Arc) int {
	return cmp.Or(bytes.Compare(x.From[:], y.From[:]), bytes.Compare(x.To[:], y.To[:]))
}

func joinArcs(x, y Arc) Arc {
	return Arc{x.From, x.To, saturated(x.Forward, y.Forward), saturated(x.Back, y.Back), max(x.Depth, y.Depth)}
}

// isPollCall reports whether a call looks for a message or a request without waiting
// for it. How often it is made says nothing about progress.
func isPollCall(call string) bool {
	f := mpi.FunctionOf(call)
	return f != nil && f.Class.IsPoll()
}

// shape is what ranks with the same states and the same edges share.
type shape struct {
	model *model.Model
	sites []*Site // by state
	// inner are the edges that lead back in a loop inside another.
	inner []int
	arcs  []Arc // as to one rank
	ranks uint64
}

// Builder folds models into a flow.
type Builder struct {
	sites  map[model.StateID]*Site
	shapes map[uint64][]*shape
	last   *shape
	back   []uint64 // by state of the model that is added: how often it was come back to in a loop inside another
}

// NewBuilder returns a Builder of no models.
func NewBuilder() *Builder {
	return &Builder{sites: map[model.StateID]*Site{}, shapes: map[uint64][]*shape{}}
}

// Add folds the model of one rank.
func (b *Builder) Add(m *model.Model) {
	s := b.shapeOf(m)
	s.ranks++
	b.back = slices.Grow(b.back[:0], len(s.sites))[:len(s.sites)]
	clear(b.back)
	for _, e := range s.inner {
		b.back[m.Edges[e].To] += m.Edges[e].Count
	}
	for i, site := range s.sites {
		if i < len(m.Visits) {
			n := m.Visits[i]
			site.Visits = site.Visits.add(n)
			site.Iterations = site.Iterations.add(n - min(n, b.back[i]))
		}
	}
}

// shapeOf finds the shape of a model; nearly always it is that of the rank
// before.
func (b *Builder) shapeOf(m *model.Model) *shape {
	if b.last != nil && SameShape(b.last.model, m) {
		return b.last
	}
	key := ShapeHash(m)
	for _, s := range b.shapes[key] {
		if SameShape(s.model, m) {
			b.last = s
			return s
		}
	}
	b.last = b.newShape(m)
	b.shapes[key] = append(b.shapes[key], b.last)
	return b.last
}

// SameShape reports whether two models have the same states and the same edges,
// whatever their counts.
func SameShape(x, y *model.Model) bool {
	same := func(a, b *model.State) bool { return a == b || a.ID == b.ID && a.Call == b.Call }
	return (sameList(x.States, y.States) || slices.EqualFunc(x.States, y.States, same)) &&
		slices.EqualFunc(x.Edges, y.Edges, func(a, b model.Edge) bool {
			return a.From == b.From && a.To == b.To && (a.Count == 0) == (b.Count == 0)
		})
}

// sameList reports whether two lists are one: ranks that were recorded alike share theirs.
func sameList(x, y []*model.State) bool {
	return len(x) == len(y) && unsafe.SliceData(x) == unsafe.SliceData(y)
}

// CopyShape copies what SameShape compares, for who keeps it longer than the rank.
func CopyShape(m *model.Model) *model.Model {
	return &model.Model{States: m.States, Edges: slices.Clone(m.Edges)}
}

// ShapeHash mixes what SameShape compares (FNV-1a, by words).
func ShapeHash(m *model.Model) uint64 {
	h := uint64(14695981039346656037)
	mix := func(n uint64) { h = (h ^ n) * 1099511628211 }
	for _, s := range m.States {
		mix(uint64(s.ID[0]) | uint64(s.ID[1])<<8 | uint64(s.ID[2])<<16 | uint64(s.ID[3])<<24)
	}
	for _, e := range m.Edges {
		mix(uint64(e.From)<<32 | uint64(e.To))
	}
	return h
}

// newShape finds the arcs of a model, as they look to a rank that knows no
// other, and adds its sites.
func (b *Builder) newShape(m *model.Model) *shape {
	s := &shape{model: CopyShape(m)}
	for _, state := range m.States {
		if b.sites[state.ID] == nil {
			b.sites[state.ID] = &Site{ID: state.ID}
		}
		site := b.sites[state.ID]
		site.Poll = site.Poll || isPollCall(state.Call)
		s.sites = append(s.sites, site)
	}
	if b.sites[model.StateID{}] == nil {
		b.sites[model.StateID{}] = &Site{}
	}
	passages := passagesOf(m)
	n := newNest(len(m.States)+1, arcsOf(passages), splitSingle, nil)
	for _, p := range passages {
		level := n.backLevel(p.from, p.to)
		arc := Arc{From: idOf(m, p.from), To: idOf(m, p.to), Depth: level}
		if level == 0 {
			arc.Forward = 1
		} else {
			arc.Back = 1
		}
		s.arcs = append(s.arcs, arc)
		if level > 1 && p.edge >= 0 {
			s.inner = append(s.inner, p.edge)
		}
	}
	return s
}

// Flow returns the union of the models that were added.
func (b *Builder) Flow() Flow {
	var f Flow
	for _, s := range b.sites {
		f.Sites = append(f.Sites, *s)
	}
	for _, shapes := range b.shapes {
		for _, s := range shapes {
			for _, a := range s.arcs {
				a.Forward, a.Back = a.Forward*s.ranks, a.Back*s.ranks
				f.Arcs = append(f.Arcs, a)
			}
		}
	}
	slices.SortFunc(f.Sites, compareSites)
	f.Arcs = reduce.SortJoined(f.Arcs, compareArcs, joinArcs)
	return f
}

// passage is an edge of one model whose node 0 is the start of the program and
// whose state i is node i+1.
type passage struct {
	from, to int
	edge     int // index into Model.Edges, -1 the step from the start
	count    uint64
}

// passagesOf lists the passages of a model; a recorder numbers states in order
// of first visit, so that the first is where the program starts.
func passagesOf(m *model.Model) []passage {
	var out []passage
	n := len(m.States)
	if n > 0 {
		out = append(out, passage{0, 1, -1, 1})
	}
	for i, e := range m.Edges {
		if e.Count > 0 && e.From >= 0 && e.From < n && e.To >= 0 && e.To < n {
			out = append(out, passage{e.From + 1, e.To + 1, i, e.Count})
		}
	}
	return out
}

func arcsOf(passages []passage) []nestArc {
	out := make([]nestArc, len(passages))
	for i, p := range passages {
		out[i] = nestArc{from: p.from, to: p.to}
	}
	return out
}

// idOf returns the ID of a node of passagesOf.
func idOf(m *model.Model, node int) model.StateID {
	if node == 0 {
		return model.StateID{}
	}
	return m.States[node-1].ID
}
