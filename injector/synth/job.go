package synth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"laggard/model"
)

// Config says what job to make.
type Config struct {
	Ranks   int // of MPI_COMM_WORLD, at least 1
	PerNode int // ranks in a node file, at least 1
	Comms   int // communicators of blocks of ranks, besides those of the template
	Seed    uint64
	Fault   Fault
	Vary    Vary
	Damage  Damage
	Created time.Time // when the job was hung; the zero time is a fixed moment
	Command []string  // as the manifest has it
	Version string    // of laggard, as the manifest has it
}

// Truth is what a diagnosis of the job must find out.
type Truth struct {
	Ranks  model.RankSet // at fault
	Damage Damaged
	Place  string // the call behind which, or in which, the fault is
	// Of a rank that skipped a collective: the communicator of the first one, and the
	// number of the collective.
	Comm, Sequence uint64
}

// job makes the ranks of a synthetic run, one by one and independently.
type job struct {
	Config
	*plan
	grid    grid
	groups  []group
	meet    int // among groups
	program program
	first   uint64
	talk    messages
	waits   map[int]placement // ranks that wait for a neighbour, or are at fault
	world   []int
	forms   [][]*form     // by member and role
	truth   model.RankSet // the ranks that must be named
}

// placement is the place of a rank near the fault.
type placement struct {
	role     int
	waitsFor int // the rank it waits for, -1 none
}

// form is a history as ranks share it: the walk, and the ways around by which
// they differ.
type form struct {
	*walk
	cycles [][]int
	comms  []int                 // by group: the state that made the communicator
	begun  map[model.StateID]int // the states of the collectives of histories; -1 not there
	branch []*form
	// modules are those of the template.
	modules []*model.Module
}

func newJob(ranks []*model.Rank, c Config) (*job, error) {
	if c.Ranks < 1 || c.Ranks > model.MaxRanks || c.PerNode < 1 {
		return nil, fmt.Errorf("synth: %w: %d ranks, %d on a node; at most %d", ErrConfig, c.Ranks, c.PerNode,
			model.MaxRanks)
	}
	templates, err := templatesOf(ranks)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(c.Seed, 0x73796e7468))
	j := &job{Config: c, waits: map[int]placement{}}
	if j.Created.IsZero() {
		j.Created = time.Date(2026, 3, 12, 3, 15, 2, 0, time.UTC)
	}
	if j.plan, err = newPlan(templates, c.Fault, random); err != nil {
		return nil, err
	}
	j.groups, j.talk = groupsOf(templates[0]), messagesOf(templates)
	j.meet = meetingGroup(j.groups)
	if err := j.addGroups(); err != nil {
		return nil, err
	}
	j.grid = newGrid(c.Ranks, j.talk.neighbours)
	j.world = make([]int, c.Ranks)
	for i := range j.world {
		j.world[i] = i
	}
	j.makeForms()
	j.newProgram()
	j.findCalls()
	err = j.placeFault(random)
	j.truth = j.faultyRanks()
	return j, err
}

// makeForms prepares the histories.
func (j *job) makeForms() {
	for _, m := range j.members {
		var forms []*form
		for _, w := range m.walks {
			f := j.formOf(w, m.rank.Modules)
			for pick := range uint64(2) {
				if b := w.bypassCall(mix(j.Seed, int(pick)), j.keptStates()); b != nil && j.Vary.Branches {
					f.branch = append(f.branch, j.formOf(b, m.rank.Modules))
				}
			}
			forms = append(forms, f)
		}
		j.forms = append(j.forms, forms)
	}
	// Every communicator that meets at the gate has begun that collective.
	j.first = max(j.groups[j.meet].comm.Coll, j.colls[0]+1)
}

// keptStates lists the states that no rank leaves out.
func (j *job) keptStates() []model.StateID {
	out := slices.Clone(j.places)
	for _, s := range j.way {
		out = append(out, s.id)
	}
	return out
}

// findCalls finds the calls of the histories in the models.
func (j *job) findCalls() {
	for _, roles := range j.forms {
		for _, f := range roles {
			for _, b := range append([]*form{f}, f.branch...) {
				b.begun = map[model.StateID]int{}
				for _, id := range append(j.keptStates(), j.program.sites...) {
					b.begun[id] = b.find(id)
				}
			}
		}
	}
}

func (j *job) formOf(w *walk, modules []*model.Module) *form {
	f := &form{walk: w, modules: modules}
	if j.Vary.Counts {
		f.cycles = w.innerCycles()
	}
	for _, g := range j.groups {
		f.comms = append(f.comms, w.find(g.state))
	}
	return f
}

// placeFault decides which ranks are at fault, and who waits for them.
func (j *job) placeFault(random *rand.Rand) error {
	if j.Fault.Kind == Healthy {
		return nil
	}
	at := j.Fault.Ranks
	if at.Len() == 0 {
		at = model.NewRankSet(random.IntN(j.Ranks))
	}
	if j.Fault.Kind == Deadlock && at.Len() == 1 {
		at = at.Union(model.NewRankSet((at.Min() + 1) % j.Ranks))
	}
	j.Fault.Ranks = at
	switch {
	case at.Max() >= j.Ranks:
		return fmt.Errorf("synth: %w: rank %d of %d", ErrFault, at.Max(), j.Ranks)
	case at.Len() == j.Ranks && j.Fault.Kind != Deadlock:
		return fmt.Errorf("synth: %w: at all ranks, so no rank would wait for them", ErrFault)
	}
	switch j.Fault.Kind {
	case Deadlock:
		return j.placeCircle(at.Slice())
	case Message:
		return j.placeMessages(at)
	case Skipped:
		return j.placeSkipped(at, random)
	}
	j.placeWaves(at)
	return nil
}

// placeCircle lets each rank wait for the next.
func (j *job) placeCircle(ranks []int) error {
	if len(ranks) < 2 {
		return fmt.Errorf("synth: %w: a deadlock of one rank", ErrFault)
	}
	for i, r := range ranks {
		j.waits[r] = placement{0, ranks[(i+1)%len(ranks)]}
	}
	return nil
}

// placeMessages lets each rank wait for a neighbour that is at the gate.
func (j *job) placeMessages(at model.RankSet) error {
	for _, r := range at.Slice() {
		peer := -1
		for _, n := range append(j.grid.neighbours(r), (r+1)%j.Ranks) {
			if !at.Contains(n) && n != r {
				peer = n
				break
			}
		}
		if peer < 0 {
			return fmt.Errorf("synth: %w: rank %d has no neighbour that is not at fault too", ErrFault, r)
		}
		j.waits[r] = placement{0, peer}
	}
	return nil
}

// placeWaves lets the neighbours of the ranks at fault wait for them in the
// first wait behind the fault, and their neighbours for them in the next.
func (j *job) placeWaves(at model.RankSet) {
	front := at.Slice()
	for _, r := range front {
		j.waits[r] = placement{0, -1}
	}
	for role := 1; role < j.gateRole(); role++ {
		var next []int
		for _, r := range front {
			for _, n := range j.grid.neighbours(r) {
				if _, placed := j.waits[n]; !placed {
					j.waits[n] = placement{role, r}
					next = append(next, n)
				}
			}
		}
		front = next
	}
}

// faultyRanks returns the ranks that a diagnosis must name.
func (j *job) faultyRanks() model.RankSet {
	out := j.Fault.Ranks.Clone()
	if j.Fault.Kind == Message {
		for _, r := range j.Fault.Ranks.Slice() {
			out.Add(j.waits[r].waitsFor)
		}
	}
	return out
}

// placeOf returns the place of a rank.
func (j *job) placeOf(rank int) placement {
	if w, near := j.waits[rank]; near {
		return w
	}
	return placement{j.gateRole(), -1}
}

// chooseForm chooses the history of a rank: rank 0 has that of the first template,
// which often does more than the others; ranks on one node have two others, so
// that they share most of what is written.
func (j *job) chooseForm(rank, role int) *form {
	m := 0
	if n := len(j.members); n > 1 && rank > 0 {
		node := rank / j.PerNode
		m = 1 + int(mix(j.Seed, node, int(mix(j.Seed, rank)%2)))&0xffff%(n-1)
	}
	f := j.forms[m][role]
	if pick := mix(j.Seed, rank, 1); len(f.branch) > 0 && pick%branchEvery == 0 {
		f = f.branch[pick/branchEvery%uint64(len(f.branch))]
	}
	return f
}

// walkFor returns the walk of a rank and the state it is at.
func (j *job) walkFor(rank int, f *form) *walk {
	w := f.walk
	if j.Vary.States && mix(j.Seed, rank, 2)%uniqueEvery == 0 {
		w = w.withDetour(rank)
	}
	if j.Vary.Distinct {
		w = w.withOwnState(rank)
	}
	if w == f.walk {
		w = w.clone()
	}
	if len(w.edges) >= len(f.edges) { // a detour has put edges behind those of the form
		for i, way := range f.cycles {
			times := mix(j.Seed, rank, 3, i) % 50
			if slices.ContainsFunc(way, func(e int) bool {
				return w.edges[e].From != f.edges[e].From ||
					w.edges[e].To != f.edges[e].To
			}) {
				continue
			}
			for _, e := range way {
				w.edges[e].Count += times
				w.visits[w.edges[e].To] += times
			}
		}
	}
	return w
}
