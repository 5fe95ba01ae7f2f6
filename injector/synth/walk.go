package synth

import (
	"container/heap"
	"math"
	"slices"

	"laggard/model"
)

// walk is the history of a rank: how often it was in each state and took each
// edge, and where it is. Every state was left as often as it was entered, but
// for the first one and the present one.
type walk struct {
	states []*model.State
	visits []uint64
	edges  []model.Edge
	at     int
}

// walkOf returns the history that a thread has recorded.
func walkOf(t *model.Thread) *walk {
	return &walk{t.Model.States, slices.Clone(t.Model.Visits), slices.Clone(t.Model.Edges), t.Op.State}
}

func (w *walk) clone() *walk {
	return &walk{w.states, slices.Clone(w.visits), slices.Clone(w.edges), w.at}
}

// find returns the state with the ID, -1 if it was never entered.
func (w *walk) find(id model.StateID) int {
	return slices.IndexFunc(w.states, func(s *model.State) bool { return s.ID == id })
}

// cutBack takes the walk back to its last visit of a state: it ends there. The
// way between is the likeliest of those that the counts allow. It reports false,
// and changes nothing, if there is none. With around, a walk that is at the
// state already goes back to the visit before.
func (w *walk) cutBack(to int, around bool) (way []int, ok bool) {
	if to == w.at && !around {
		return nil, true
	}
	way, ok = w.likeliestPath(to, w.at)
	if !ok {
		return nil, false
	}
	for _, e := range way {
		w.edges[e].Count--
		w.visits[w.edges[e].To]--
	}
	w.at = to
	return way, true
}

// likeliestPath returns the edges of the likeliest way from one state to another, at least
// one edge, of those that were taken.
func (w *walk) likeliestPath(from, to int) ([]int, bool) {
	tree := w.likeliestTree(from)
	last := tree.lastEdge(to)
	if last < 0 {
		return nil, false
	}
	var way []int
	for e := last; ; e = tree.into[w.edges[e].From] {
		way = append(way, e)
		if w.edges[e].From == from {
			break
		}
	}
	slices.Reverse(way)
	return way, true
}

// tree holds the likeliest ways from one state.
type tree struct {
	walk  *walk
	from  int
	cost  []float64 // by state: the negative logarithm of the probability
	into  []int     // by state: the last edge, -1 none
	order []int     // states other than the first, from the likeliest to the least likely
}

// lastEdge returns the last edge of the likeliest way to a state, which for the
// first state is a way around.
func (t *tree) lastEdge(to int) int {
	if to != t.from {
		return t.into[to]
	}
	best, least := -1, math.Inf(1)
	for i, e := range t.walk.edges {
		if c := t.cost[e.From] + t.walk.edgeCost(e); e.To == to && e.Count > 0 && c < least {
			best, least = i, c
		}
	}
	return best
}

// edgeCost is the cost of an edge.
func (w *walk) edgeCost(e model.Edge) float64 {
	return math.Log(float64(w.visits[e.From])) - math.Log(float64(e.Count)) + 1e-3 // of two ways, the shorter
}

// likeliestTree finds the ways (Dijkstra 1959).
func (w *walk) likeliestTree(from int) *tree {
	out := make([][]int, len(w.states))
	for i, e := range w.edges {
		if e.Count > 0 {
			out[e.From] = append(out[e.From], i)
		}
	}
	t := &tree{w, from, make([]float64, len(w.states)), make([]int, len(w.states)), nil}
	for i := range t.cost {
		t.cost[i], t.into[i] = math.Inf(1), -1
	}
	t.cost[from] = 0
	done := make([]bool, len(w.states))
	for queue := (&stateHeap{{0, from}}); queue.Len() > 0; {
		next := heap.Pop(queue).(heapItem)
		if done[next.state] {
			continue
		}
		done[next.state] = true
		if next.state != from {
			t.order = append(t.order, next.state)
		}
		for _, i := range out[next.state] {
			e := w.edges[i]
			if c := next.cost + w.edgeCost(e); e.To != from && c < t.cost[e.To] {
				t.cost[e.To], t.into[e.To] = c, i
				heap.Push(queue, heapItem{c, e.To})
			}
		}
	}
	return t
}

type heapItem struct {
	cost  float64
	state int
}

// stateHeap is a heap of states to go on from.
type stateHeap []heapItem

func (f stateHeap) Len() int { return len(f) }
func (f stateHeap) Less(i, j int) bool {
	return f[i].cost < f[j].cost || f[i].cost == f[j].cost && f[i].state < f[j].state
}
func (f stateHeap) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *stateHeap) Push(x any)   { *f = append(*f, x.(heapItem)) }
func (f *stateHeap) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// compact leaves out the states and edges that were never gone through, as a
// recorder does not know them.
func (w *walk) compact() {
	if !slices.Contains(w.visits, 0) && !slices.ContainsFunc(w.edges, func(e model.Edge) bool { return e.Count == 0 }) {
		return
	}
	place := make([]int, len(w.states))
	var states []*model.State
	var visits []uint64
	for i, n := range w.visits {
		place[i] = len(states)
		if n > 0 {
			states, visits = append(states, w.states[i]), append(visits, n)
		}
	}
	var edges []model.Edge
	for _, e := range w.edges {
		if e.Count > 0 {
			edges = append(edges, model.Edge{From: place[e.From], To: place[e.To], Count: e.Count})
		}
	}
	w.states, w.visits, w.edges, w.at = states, visits, edges, place[w.at]
}
