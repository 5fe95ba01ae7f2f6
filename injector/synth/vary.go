package synth

import (
	"fmt"
	"slices"
	"strings"

	"laggard/model"
)

// Vary says how ranks differ, besides where they are.
type Vary struct {
	Counts   bool // how often they went round inner loops
	Branches bool // some leave out a call that the others make
	States   bool // a few have a call site that nobody else has
	Distinct bool // the worst case: no two are at the same call site
}

// ParseVary reads a list such as "counts,branches,states"; "none" is none of
// them. Errors wrap ErrConfig.
func ParseVary(text string) (Vary, error) {
	var v Vary
	for word := range strings.SplitSeq(text, ",") {
		switch word {
		case "counts":
			v.Counts = true
		case "branches":
			v.Branches = true
		case "states":
			v.States = true
		case "distinct":
			v.Distinct = true
		case "none":
		default:
			return Vary{}, fmt.Errorf("synth: %w: %.40q is none of counts, branches, states, distinct, none",
				ErrConfig, word)
		}
	}
	return v, nil
}

// One rank in so many leaves out a call, or has one of its own.
const (
	branchEvery = 32
	uniqueEvery = 1024
)

// mix returns a number that depends on all of its arguments (splitmix64).
func mix(seed uint64, values ...int) uint64 {
	h := seed
	for _, v := range values {
		h += uint64(v) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// innerCycles lists ways around inner loops, as edges, that make no collective call.
func (w *walk) innerCycles() [][]int {
	const longest, enough = 12, 6
	var out [][]int
	seen := map[string]bool{}
	for s, n := range w.visits {
		way, ok := w.likeliestPath(s, s)
		if n < 8 || !ok || len(way) > longest || len(out) == enough {
			continue
		}
		meets := slices.ContainsFunc(way, func(e int) bool {
			call := w.states[w.edges[e].To].Call
			return synchronises(call) || !pointToPoint(call)
		})
		key := fmt.Sprint(slices.Sorted(slices.Values(way)))
		if !meets && !seen[key] {
			seen[key] = true
			out = append(out, way)
		}
	}
	return out
}

// bypassCall returns the walk of a rank that never made one of its calls: one
// between two others, drawn by pick. It is nil if there is none.
func (w *walk) bypassCall(pick uint64, keep []model.StateID) *walk {
	var found [][2]int // the edges into and out of a state that has no others
	in, out := make([][]int, len(w.states)), make([][]int, len(w.states))
	for i, e := range w.edges {
		in[e.To] = append(in[e.To], i)
		out[e.From] = append(out[e.From], i)
	}
	for s, state := range w.states {
		if s == 0 || s == w.at || len(in[s]) != 1 || len(out[s]) != 1 || synchronises(state.Call) ||
			slices.Contains(keep, state.ID) {
			continue
		}
		if a, b := w.edges[in[s][0]], w.edges[out[s][0]]; a.From != s && a.Count == b.Count {
			found = append(found, [2]int{in[s][0], out[s][0]})
		}
	}
	if len(found) == 0 {
		return nil
	}
	choice := found[pick%uint64(len(found))]
	v := w.clone()
	a, b := &v.edges[choice[0]], &v.edges[choice[1]]
	from, to, count := a.From, b.To, a.Count
	v.visits[a.To] = 0
	a.Count, b.Count = 0, 0
	v.addEdge(from, to, count)
	v.compact()
	return v
}

func (w *walk) addEdge(from, to int, count uint64) {
	for i, e := range w.edges {
		if e.From == from && e.To == to {
			w.edges[i].Count += count
			return
		}
	}
	w.edges = append(w.edges, model.Edge{From: from, To: to, Count: count})
}

// withDetour puts a call site of its own into the first edge that leads on from the
// start: the rank has been there once.
func (w *walk) withDetour(rank int) *walk {
	v := w.clone()
	for i, e := range w.edges {
		if e.Count == 1 && e.From != e.To {
			v.states = append(slices.Clone(v.states), ownState(w.states[e.From], rank))
			v.visits = append(v.visits, 1)
			v.edges[i].Count = 0
			v.addEdge(e.From, len(w.states), 1)
			v.addEdge(len(w.states), e.To, 1)
			v.compact()
			return v
		}
	}
	return v
}

// withOwnState gives the state where the walk is a call site of the rank's own.
func (w *walk) withOwnState(rank int) *walk {
	v := w.clone()
	v.states = slices.Clone(v.states)
	v.states[v.at] = ownState(v.states[v.at], rank)
	return v
}

// ownState is a state like another, called from a place that no other rank has.
func ownState(like *model.State, rank int) *model.State {
	s := *like
	s.ID = model.StateID{}
	s.Stack = slices.Clone(s.Stack)
	if len(s.Stack) > 0 {
		s.Stack[len(s.Stack)-1].Offset += 1 + uint64(rank)
	} else {
		s.Stack = []model.Frame{{Offset: 1 + uint64(rank)}}
	}
	return &s
}
