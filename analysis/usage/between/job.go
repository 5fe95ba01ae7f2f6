package between

import (
	"fmt"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/typemap"
	"laggard/model"
)

// ref names an item of a digest: the position of the digest among those of the
// job, and an index; none is {-1, -1}.
type ref struct{ rank, index int32 }

var (
	none    = ref{-1, -1}
	unclear = ref{-2, -2} // there is one, but which is not known
)

// job is all ranks together.
type job struct {
	digests []*Digest     // in order of rank
	byRank  map[int]int32 // position in digests
	comms   map[uint64]*communicator
	layouts [][]*typemap.Layout // by digest and buffer
	found   *finding.Group
	stop    func() bool // time is over

	partners [][]ref // by digest and message: the other half; of a probe the send it saw
	events   []*event
	eventOf  [][]int32 // by digest and entry: index into events

	regions    []map[uint64]*region // by digest: see regionsOf
	noPut      map[fenceKey][]int32 // see noPutFences
	sitePlaces map[ref]int32        // see placeNumber; by digest and site
	places     map[string]int32     // likewise, by what names the place
}

// communicator is one that several ranks know.
type communicator struct {
	id            uint64
	inter         bool
	local, remote []int // world ranks; of an intercommunicator as the lowest rank sees it
	comm          *model.Comm
}

func newJob(digests []*Digest) *job {
	j := &job{digests: digests, byRank: map[int]int32{}, comms: map[uint64]*communicator{}, found: finding.NewGroup(),
		sitePlaces: map[ref]int32{}, places: map[string]int32{}}
	for i, d := range digests {
		j.byRank[d.Rank] = int32(i)
		for _, c := range d.comms {
			if _, ok := j.comms[c.ID]; !ok && c.Members != nil {
				j.comms[c.ID] = &communicator{c.ID, c.Kind == model.Inter, c.Members, c.Remote, c}
			}
		}
		layouts := typemap.NewLayouts(d.types)
		made := make([]*typemap.Layout, len(d.buffers))
		for k, b := range d.buffers {
			made[k] = layouts.OfBuffer(int(b.typ), b.count)
		}
		j.layouts = append(j.layouts, made)
		j.partners = append(j.partners, slices.Repeat([]ref{none}, len(d.messages)))
		j.eventOf = append(j.eventOf, make([]int32, len(d.entries)))
		j.regions = append(j.regions, regionsOf(d))
	}
	j.noPut = j.noPutFences()
	return j
}

// allMembers are all ranks of a communicator, of both groups.
func (c *communicator) allMembers() []int {
	if !c.inter {
		return c.local
	}
	all := append(slices.Clone(c.local), c.remote...)
	slices.Sort(all)
	return all
}

// name is how a reader knows the communicator.
func (c *communicator) name() string { return commName(c.comm) }

func commName(c *model.Comm) string {
	kind := "communicator"
	switch c.Kind {
	case model.World:
		return "MPI_COMM_WORLD"
	case model.Self:
		return "MPI_COMM_SELF"
	case model.Window:
		kind = "window"
	case model.File:
		kind = "file"
	case model.Inter:
		kind = "intercommunicator"
	}
	if c.Members == nil {
		return "a " + kind
	}
	return fmt.Sprintf("the %s of ranks %s", kind, model.NewRankSet(append(slices.Clone(c.Members), c.Remote...)...))
}

// placeOf makes the Place of a step of a digest.
func (j *job) placeOf(rank, step int32, role string) finding.Place {
	d := j.digests[rank]
	s := d.step(step)
	return finding.Place{Rank: d.Rank, Call: s.fn().Name, Site: d.sites[s.site], Role: role, Muted: s.muted}
}

// allRecorded reports whether everything that these ranks did was recorded.
func (j *job) allRecorded(ranks []int) bool {
	return !slices.ContainsFunc(ranks, func(r int) bool {
		at, ok := j.byRank[r]
		return !ok || !j.digests[at].complete
	})
}
