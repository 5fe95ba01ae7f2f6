package synth

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"laggard/model"
	"laggard/model/mpi"
)

// program is the collectives that the members of the communicators begin. In each turn
// of a loop they begin one on every communicator, the last one on that where all ranks
// meet; each communicator has a round of calls of its own.
type program struct {
	sites []model.StateID // of calls that every rank has made
	calls []string        // of these
	stuck int             // the group on which ranks at fault skipped a call; -1 none
	first uint64          // the longest communicator's number of collectives
}

// site is a call of the template.
type site struct {
	id   model.StateID
	call string
}

// round is how many different calls there are on a communicator, and behind how many
// calls that one was which a rank skipped.
const (
	round   = 7
	skipped = 3
	kept    = 32 // calls of a history, and of the marks below
	levels  = 10
	step    = 16
)

// addGroups adds communicators that the template does not have: blocks of 4, 8, … 512
// ranks, which begin at different ranks. Each rank is a member of all of them.
func (j *job) addGroups() error {
	if j.Comms < 0 || j.Comms > maxComms {
		return fmt.Errorf("synth: %w: %d communicators; at most %d", ErrConfig, j.Comms, maxComms)
	}
	parent := j.groups[j.meet].comm.ID
	for i := range j.Comms {
		draw := mix(j.Seed, i, 8)
		g := group{kind: blockGroup, size: min(4<<(i%8), j.Ranks), comm: &model.Comm{
			ID: mix(draw, i), Parent: parent, State: -1, Coll: kept + draw%4096,
		}}
		g.offset = int(draw >> 32 % uint64(g.size))
		j.groups = append(j.groups, g)
	}
	return nil
}

// maxComms is as many communicators as can be added.
const maxComms = 4096

// newProgram finds the calls of which the histories are made: those in the models of all
// ranks. A template without any gives no histories.
func (j *job) newProgram() {
	j.program.stuck = -1
	for i, s := range j.forms[0][0].states {
		common := synchronises(s.Call)
		for _, roles := range j.forms {
			for _, f := range roles {
				for _, b := range append([]*form{f}, f.branch...) {
					common = common && b.find(s.ID) >= 0
				}
			}
		}
		if common && j.forms[0][0].visits[i] > 0 {
			j.program.sites, j.program.calls = append(j.program.sites, s.ID), append(j.program.calls, s.Call)
		}
	}
	for _, g := range j.groups {
		j.program.first = max(j.program.first, g.comm.Coll, j.first)
	}
}

// placeSkipped chooses the communicator on which ranks skipped a call; its other members
// wait there.
func (j *job) placeSkipped(at model.RankSet, random *rand.Rand) error {
	var found []int
	for i, g := range j.groups {
		fits := g.kind == blockGroup && g.comm.Coll >= kept && !g.comm.Freed && len(j.program.sites) > 0
		for _, r := range at.Slice() {
			members := j.membersOf(g, r)
			fits = fits && len(members) > 2*at.Intersect(model.NewRankSet(members...)).Len()
		}
		if fits {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("synth: %w: no communicator of part of the ranks, of which most are not at fault", ErrFault)
	}
	j.program.stuck = found[random.IntN(len(found))]
	for _, r := range at.Slice() {
		for _, member := range j.membersOf(j.groups[j.program.stuck], r) {
			if !at.Contains(member) {
				j.waits[member] = placement{0, -1}
			}
		}
	}
	return nil
}

// membersOf lists the members of the communicator of a rank.
func (j *job) membersOf(g group, rank int) []int {
	switch g.kind {
	case worldGroup:
		return j.world
	case selfGroup:
		return []int{rank}
	}
	n := g.blockOf(rank)
	return j.world[max(n*g.size-g.offset, 0):min((n+1)*g.size-g.offset, j.Ranks)]
}

// blockOf is the number of the block of a rank.
func (g *group) blockOf(rank int) int { return (rank + g.offset) / g.size }

// hasSkipped reports whether the rank skipped a call on a communicator.
func (j *job) hasSkipped(rank, group int) bool {
	return group == j.program.stuck && j.Fault.Ranks.Contains(rank)
}

// skippedCall is which call was skipped; zeros: none.
func (j *job) skippedCall() (comm, number uint64) {
	if j.program.stuck < 0 {
		return 0, 0
	}
	g := &j.groups[j.program.stuck]
	return blockID(g, j.Fault.Ranks.Min()), g.comm.Coll - skipped
}

// blockID names the communicator of a rank's block.
func blockID(g *group, rank int) uint64 { return mix(g.comm.ID, g.blockOf(rank)) | 1<<63 }

// addHistory gives a communicator of the rank its history. The hashes are numbers that
// members share as long as they began the same; nobody can compute them from the calls
// that are kept.
func (j *job) addHistory(r *model.Rank, c *model.Comm, group int, f *form, at placement) {
	if c.Size < 2 || c.Coll == 0 || len(j.program.sites) == 0 {
		return
	}
	h := new(model.History)
	whose := 0
	mark := func(n uint64) model.Mark {
		return model.Mark{Number: n, Calls: mix(c.ID, int(n), whose), Sites: mix(c.ID, int(n), whose, 1)}
	}
	left := uint64(0)
	if j.hasSkipped(r.Rank, group) {
		left = j.groups[group].comm.Coll - skipped
	}
	for n := c.Coll - min(c.Coll, kept) + 1; n <= c.Coll; n++ {
		turn := n // of the program, in which the others began it
		if left > 0 && n >= left {
			turn, whose = n+1, r.Rank+1
		}
		b := j.nthCollective(group, turn, f)
		b.Mark = mark(n)
		if j.Vary.Distinct && group == j.meet && at.role == j.gateRole() && n == c.Coll && b.State == f.at {
			b.Sites = mix(b.Sites, r.Rank)
		}
		h.Latest = append(h.Latest, b)
	}
	for level, every := 0, uint64(step); level < levels; level, every = level+1, 4*every {
		for n := c.Coll / every * every; n > 0 && c.Coll-n < 2*every; n -= every {
			whose = 0
			if left > 0 && n >= left {
				whose = r.Rank + 1
			}
			h.Marks = append(h.Marks, mark(n))
		}
	}
	slices.SortFunc(h.Marks, func(a, b model.Mark) int { return int(a.Number) - int(b.Number) })
	h.Marks = slices.Compact(h.Marks)
	c.History = h
}

// nthCollective is the n-th collective on a communicator.
func (j *job) nthCollective(group int, n uint64, f *form) model.Begun {
	s := j.nthSite(group, n)
	b := model.Begun{Order: j.nthOrder(group, n), State: f.begun[s.id], Root: model.None, Bytes: -1}
	call := mpi.FunctionOf(s.call)
	if call == nil {
		return b
	}
	if call.HasTrait(mpi.AlikeSent | mpi.AlikeReceived) {
		b.Bytes = int64(8 * (1 + n%round))
	}
	if call.ParamIndex("op") >= 0 {
		b.Op = "MPI_SUM"
	}
	if call.ParamIndex("root") >= 0 {
		b.Root = 0
	}
	return b
}

// nthSite is where the n-th collective on a communicator is called.
func (j *job) nthSite(group int, n uint64) site {
	p := &j.program
	switch behind := j.first - n; {
	case group == j.meet && n <= j.first && behind < uint64(len(j.way)):
		return j.way[len(j.way)-1-int(behind)]
	case group == p.stuck && n == j.groups[group].comm.Coll:
		return site{j.places[0], j.calls[0]}
	}
	i := (uint64(group) + n%round) % uint64(len(p.sites))
	return site{p.sites[i], p.calls[i]}
}

// nthOrder is which of all collectives of a process one is. Behind the one where ranks are
// stuck, and before they all meet, there is none.
func (j *job) nthOrder(group int, n uint64) uint32 {
	all, last := len(j.groups), j.groups[group].comm.Coll
	within := group
	switch {
	case group == j.meet:
		within, last = all, j.first
	case j.program.stuck >= 0:
		within = (group - j.program.stuck - 1 + all) % all
	}
	return uint32((j.program.first-last+n)*uint64(all+1)) + uint32(within)
}
