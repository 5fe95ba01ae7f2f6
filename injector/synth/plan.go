package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"laggard/model"
	"laggard/model/mpi"
)

// maxWaves bounds how far from the fault ranks wait for a neighbour that waits
// itself, rather than in the collective.
const maxWaves = 3

// plan says where the ranks of a job are: roles are 0 for the ranks at fault, 1
// to maxWaves for those that wait for a neighbour with the number before, and
// gate for all others.
type plan struct {
	places  []model.StateID // by role, from the fault to the gate
	calls   []string
	colls   []uint64 // by role, how many collectives were begun less than at the gate
	way     []site   // of the collectives behind the fault, up to the gate
	members []*member
}

// member is a template with its history at each place.
type member struct {
	*template
	walks []*walk // by role
}

func (p *plan) gateRole() int { return len(p.places) - 1 }

// newPlan chooses the place of the fault and lays out the others around it.
func newPlan(templates []*template, f Fault, random *rand.Rand) (*plan, error) {
	if f.Kind == Healthy {
		return restingPlan(templates), nil
	}
	for _, pivot := range templates {
		for _, at := range pivot.candidates(f, random) {
			if p := pivot.layOut(at); p != nil && p.enlistMembers(templates) {
				return p, nil
			}
		}
	}
	return nil, fmt.Errorf(
		"synth: %w: no place for %s from which a rank would come to a collective or to MPI_Finalize", ErrFault, f)
}

// restingPlan leaves every template where it is.
func restingPlan(templates []*template) *plan {
	p := &plan{places: make([]model.StateID, 1), calls: make([]string, 1), colls: make([]uint64, 1)}
	for _, t := range templates {
		p.members = append(p.members, &member{t, []*walk{t.whole.clone()}})
	}
	return p
}

// candidates lists the states that the fault may be at, in random order: those
// in the midst of a program rather than those of its start.
func (t *template) candidates(f Fault, random *rand.Rand) []int {
	var out []int
	for i, s := range t.whole.states {
		inside := true
		switch f.Kind {
		case Deadlock, Message:
			inside = awaitsMessage(s.Call)
		case Skipped:
			inside = synchronises(s.Call)
		}
		if inside && t.whole.visits[i] > 0 && f.matchesState(i, s) {
			out = append(out, i)
		}
	}
	random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	slices.SortStableFunc(out, func(i, j int) int { return visitScale(t.whole.visits[j]) - visitScale(t.whole.visits[i]) })
	return out
}

// visitScale tells places that were visited once from those in loops.
func visitScale(visits uint64) int { return int(math.Log10(float64(visits)) / 2) }

// layOut finds the call behind a place at which ranks meet, and the waits for
// messages in between; nil if there is no such call.
func (t *template) layOut(at int) *plan {
	for _, gate := range t.gatesBehind(at) {
		w := t.whole.clone()
		if _, ok := w.cutBack(gate, false); !ok {
			continue
		}
		if way, ok := w.clone().cutBack(at, true); ok {
			return t.planOf(w, way, at, gate)
		}
	}
	return nil
}

// gatesBehind lists the places behind one at which all ranks meet, the nearest first,
// MPI_Finalize last.
func (t *template) gatesBehind(at int) []int {
	var meet, end []int
	for _, s := range append(t.whole.likeliestTree(at).order, at) {
		switch call := t.whole.states[s].Call; {
		case synchronises(call):
			meet = append(meet, s)
		case finalizes(call):
			end = append(end, s)
		}
	}
	return append(meet, end...)
}

// planOf names the places on the way from the fault to the gate.
func (t *template) planOf(w *walk, way []int, at, gate int) *plan {
	p := &plan{}
	add := func(state int, behind uint64) {
		p.places = append(p.places, w.states[state].ID)
		p.calls = append(p.calls, w.states[state].Call)
		p.colls = append(p.colls, behind)
	}
	behind := uint64(0)
	for _, e := range way {
		to := w.edges[e].To
		if behind += t.collectivesBegun(to); t.collectivesBegun(to) > 0 {
			p.way = append(p.way, site{w.states[to].ID, w.states[to].Call})
		}
	}
	add(at, behind)
	for _, e := range way[:len(way)-1] {
		to := w.edges[e].To
		behind -= t.collectivesBegun(to)
		if awaitsMessage(w.states[to].Call) && len(p.places) <= maxWaves && to != at {
			add(to, behind)
		}
	}
	add(gate, 0)
	return p
}

// collectivesBegun reports whether a call begins a collective on a big communicator.
func (t *template) collectivesBegun(state int) uint64 {
	f := mpi.FunctionOf(t.whole.states[state].Call)
	if f.InClass(mpi.ClassColl, mpi.ClassIcoll) && !f.HasTrait(mpi.Neighbours) {
		return 1
	}
	return 0
}

// enlistMembers takes the templates that have been at all places; it reports whether
// there are any.
func (p *plan) enlistMembers(templates []*template) bool {
	for _, t := range templates {
		if m := p.newMember(t); m != nil {
			p.members = append(p.members, m)
		}
	}
	return len(p.members) > 0
}

func (p *plan) newMember(t *template) *member {
	m := &member{t, make([]*walk, len(p.places))}
	gate := t.whole.clone()
	for role := p.gateRole(); role >= 0; role-- {
		w := gate
		if role < p.gateRole() {
			w = gate.clone()
		}
		at := w.find(p.places[role])
		if at < 0 {
			return nil
		}
		if _, ok := w.cutBack(at, role < p.gateRole()); !ok {
			return nil
		}
		m.walks[role] = w
	}
	for _, w := range m.walks {
		w.compact()
	}
	return m
}
