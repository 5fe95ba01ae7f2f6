package synth

import (
	"math"
	"slices"

	"laggard/model"
)

// grid says who exchanges messages with whom: the ranks lie in a torus, so that
// each has the same neighbours at the same distances.
type grid struct {
	ranks   int
	strides []int
}

// newGrid lays out a number of ranks with so many neighbours each, an even
// number of them.
func newGrid(ranks, neighbours int) grid {
	g := grid{ranks: ranks}
	dims := max(min((neighbours+1)/2, 3), 1)
	side := max(int(math.Round(math.Pow(float64(ranks), 1/float64(dims)))), 1)
	var all []int
	for d, stride := 0, 1; d < dims; d, stride = d+1, stride*side {
		all = append(all, stride)
	}
	all = append(all, side-1, side+1, side*side-side, side*side+side, side*side-1, side*side+1)
	for _, d := range all {
		if d > 0 && 2*d <= ranks && !slices.Contains(g.strides, d) && len(g.strides) < (neighbours+1)/2 {
			g.strides = append(g.strides, d)
		}
	}
	return g
}

// neighbours lists the ranks that a rank exchanges messages with, ascending.
func (g grid) neighbours(rank int) []int {
	var out []int
	for _, d := range g.strides {
		out = append(out, (rank+d)%g.ranks, (rank-d+g.ranks)%g.ranks)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// groupKind says how a communicator grows with the job.
type groupKind uint8

const (
	worldGroup groupKind = iota // of all ranks of the template: of all ranks
	selfGroup                   // MPI_COMM_SELF
	blockGroup                  // of some: blocks of as many ranks in a row
)

// group is a communicator of the template, as it is made for every rank.
type group struct {
	kind   groupKind
	comm   *model.Comm
	state  model.StateID // of the call that made it; zero none
	size   int           // of a block
	offset int           // how much shorter the first block is
}

// groupsOf lists the communicators that can be made for any number of ranks. All
// ranks get those of one template, in the same order.
func groupsOf(t *template) []group {
	var out []group
	for _, c := range t.rank.Comms {
		g := group{comm: c, size: len(c.Members)}
		switch {
		case c.Kind == model.Inter || c.Members == nil:
			continue
		case c.Kind == model.Self:
			g.kind = selfGroup
		case c.Kind != model.World && len(c.Members) < t.rank.Size:
			g.kind = blockGroup
		}
		if c.State >= 0 && t.rank.Threads[c.Thread] == t.thread {
			g.state = t.thread.Model.States[c.State].ID
		}
		out = append(out, g)
	}
	if len(out) == 0 {
		out = append(out, group{comm: &model.Comm{ID: 1, Kind: model.World, State: -1}})
	}
	return out
}

// meetingGroup returns the index of the communicator of all ranks with the most
// collectives, on which ranks meet.
func meetingGroup(groups []group) int {
	best := -1
	for i, g := range groups {
		c := g.comm
		communicator := c.Kind != model.Window && c.Kind != model.File
		if g.kind == worldGroup && communicator && !c.Freed && (best < 0 || c.Coll > groups[best].comm.Coll) {
			best = i
		}
	}
	return best
}

// messages is what the channels of a template look like: how many neighbours,
// how many messages, with which tag.
type messages struct {
	neighbours int
	count      uint64
	tag        int
}

// messagesOf looks at all channels of the templates. A template without any
// gives none.
func messagesOf(templates []*template) messages {
	var m messages
	tags := map[int]int{}
	for _, t := range templates {
		peers := map[int]bool{}
		for _, c := range t.rank.Channels {
			if c.Peer < 0 || c.Tag < 0 {
				continue
			}
			peers[c.Peer] = true
			if tags[c.Tag]++; tags[c.Tag] > tags[m.tag] || m.count == 0 {
				m.tag = c.Tag
			}
			m.count = max(m.count, c.Sent)
		}
		m.neighbours = max(m.neighbours, len(peers))
	}
	m.neighbours = min(m.neighbours, 12)
	return m
}
