package backtrace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"laggard/model"
	"laggard/symbol"
)

// Ancestor is an earlier run of the program, one that was recorded: the union
// of the models of its ranks. How often a rank of the later run had been where
// it is, its stack does not tell; so there is nothing in which the models of
// ranks could differ, and all get this one.
type Ancestor struct {
	union model.Model
	at    map[model.StateID]int
	edges map[[2]int]int
	calls [][]symbol.Location // by state: its stack
}

// NewAncestor joins the models of the recorded ranks and looks up the places of
// their states.
func NewAncestor(ranks []*model.Rank, resolver *symbol.Resolver) *Ancestor {
	a := &Ancestor{at: map[model.StateID]int{}, edges: map[[2]int]int{}}
	for _, r := range ranks {
		for _, t := range r.Threads {
			a.addModel(&t.Model)
		}
	}
	for _, s := range a.union.States {
		a.calls = append(a.calls, resolver.ResolveProgramStack(s.Stack, false))
	}
	return a
}

func (a *Ancestor) addModel(m *model.Model) {
	index := make([]int, len(m.States))
	for i, s := range m.States {
		k, known := a.at[s.ID]
		if !known {
			k = len(a.union.States)
			a.at[s.ID] = k
			a.union.States, a.union.Visits = append(a.union.States, s), append(a.union.Visits, 0)
		}
		a.union.Visits[k] += m.Visits[i]
		index[i] = k
	}
	for _, e := range m.Edges {
		key := [2]int{index[e.From], index[e.To]}
		k, known := a.edges[key]
		if !known {
			k = len(a.union.Edges)
			a.edges[key] = k
			a.union.Edges = append(a.union.Edges, model.Edge{From: key[0], To: key[1]})
		}
		a.union.Edges[k].Count += e.Count
	}
}

// StateCount returns how many call sites the run had.
func (a *Ancestor) StateCount() int { return len(a.union.States) }

// addFrameNames adds what the frames of the ancestor's states are called.
func (a *Ancestor) addFrameNames(names *symbol.Names) {
	for i, s := range a.union.States {
		for k, l := range a.calls[i] {
			if l.Function != "" {
				names.Add(s.Stack[k], namesOf(l))
			}
		}
	}
}

// functionModules tells, by function, the path of the module that it is in.
func (a *Ancestor) functionModules() map[string]string {
	out := map[string]string{}
	for _, stack := range a.calls {
		for _, l := range stack {
			for _, c := range l.Calls() {
				if c.Function != "" {
					out[normalisedName(c.Function)] = l.Module
				}
			}
		}
	}
	return out
}

// union is the model that the ranks of the job share: the ancestor's, and a
// state for each place that it does not have.
type union struct {
	model    model.Model // without edges, until it is finished
	ancestor *Ancestor
	replaced map[int]bool // edges of the ancestor that have places in them
	more     []model.Edge
	states   map[string]int // by key of the place
	matched  map[string]bool
}

func newUnion(a *Ancestor) *union {
	u := &union{ancestor: a, replaced: map[int]bool{}, states: map[string]int{}, matched: map[string]bool{}}
	if a != nil {
		u.model = model.Model{States: slices.Clone(a.union.States), Visits: slices.Clone(a.union.Visits)}
	}
	return u
}

// stateOf returns the state of a site, and whether the ancestor knows its place: it
// is one of its calls, or a computation between two of them.
func (u *union) stateOf(s site) (state int, matched bool) {
	key := siteKey(s)
	if state, known := u.states[key]; known {
		return state, u.matched[key]
	}
	state, matched = u.findState(s)
	u.states[key], u.matched[key] = state, matched
	return state, matched
}

func (u *union) findState(s site) (state int, matched bool) {
	if u.ancestor == nil {
		return u.addState(s), false
	}
	if s.call != "" {
		if state, ok := u.ancestor.callSite(s); ok {
			return state, true
		}
	}
	through := u.ancestor.edgesAround(s)
	state = u.addState(s)
	u.splitEdges(through, state)
	return state, s.call == "" && len(through) > 0
}

// addState makes a state for a site. A computation has one too, without a call: the
// stack is all that is known of it.
func (u *union) addState(s site) int {
	state := &model.State{Call: s.call, Binding: s.bind, Partial: s.broken}
	for _, l := range s.stack[:min(len(s.stack), maxDepth)] {
		state.Stack = append(state.Stack, l.frame)
	}
	state.Partial = state.Partial || len(s.stack) > maxDepth
	u.model.States, u.model.Visits = append(u.model.States, state), append(u.model.Visits, 1)
	return len(u.model.States) - 1
}

// maxDepth is how many frames a state of the format has room for.
const maxDepth = 64

// splitEdges puts a place into passages between two calls: those of the
// ancestor's edges that are listed.
func (u *union) splitEdges(through []int, state int) {
	into, from := map[int]uint64{}, map[int]uint64{}
	for _, i := range through {
		e := u.ancestor.union.Edges[i]
		u.replaced[i] = true
		into[e.From] += e.Count
		from[e.To] += e.Count
	}
	for _, s := range slices.Sorted(maps.Keys(into)) {
		u.more = append(u.more, model.Edge{From: s, To: state, Count: into[s]})
	}
	for _, s := range slices.Sorted(maps.Keys(from)) {
		u.more = append(u.more, model.Edge{From: state, To: s, Count: from[s]})
	}
}

// completeModel returns the model with all its edges.
func (u *union) completeModel() model.Model {
	m := u.model
	if u.ancestor != nil {
		for i, e := range u.ancestor.union.Edges {
			if !u.replaced[i] {
				m.Edges = append(m.Edges, e)
			}
		}
	}
	m.Edges = append(m.Edges, u.more...)
	return m
}

// siteKey tells sites apart.
func siteKey(s site) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%q %d %t", s.call, s.bind, s.broken)
	for _, l := range s.stack {
		fmt.Fprintf(b, " %s", frameKey(l.frame))
	}
	return b.String()
}

func frameKey(f model.Frame) string {
	if f.Module == nil {
		return fmt.Sprintf("%x", f.Offset)
	}
	if f.Module.BuildID == "" {
		return fmt.Sprintf("%q+%x", f.Module.Path, f.Offset)
	}
	return fmt.Sprintf("%s+%x", f.Module.BuildID, f.Offset)
}
