package facts

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"laggard/analysis/progress/loops"
	"laggard/model"
)

// Keeper keeps ranks in little memory, as far as a block is asked about them: about half a
// kilobyte for a rank with a hundred states. Ranks with the same states and
// edges share these, and differ in counts.
type Keeper struct {
	shapes map[uint64][]*model.Model
	last   *model.Model
	comms  map[commKey]*model.Comm
	list   []*model.Comm // of the last rank
	ranks  []kept
	diffs  []byte
	counts []byte // the block that those of the next ranks go to
}

// commKey is what tells the communicators apart that channels refer to.
type commKey struct {
	id            uint64
	kind          model.CommKind
	local, remote *int // the lists of members are shared
	nlocal        int
	nremote       int
}

// kept is one rank. Its counts are varints, differences to those of the shape.
type kept struct {
	rank     int
	state    int
	inMPI    bool
	shape    *model.Model
	counts   []byte
	comms    []*model.Comm
	channels []model.Channel
	probed   []model.Taken
	near     []topology
}

// topology is a communicator with the neighbours that a rank has in it.
type topology struct {
	comm       *model.Comm
	neighbours *model.Neighbours
}

// NewKeeper returns a Keeper of no ranks, with room for as many as are expected.
func NewKeeper(expected int) *Keeper {
	return &Keeper{shapes: map[uint64][]*model.Model{}, comms: map[commKey]*model.Comm{}, ranks: make([]kept, 0, expected)}
}

// Keep remembers a rank.
func (k *Keeper) Keep(r *model.Rank) {
	if !InWorld(r) {
		return
	}
	t := Representative(r)
	shape := k.shapeOf(&t.Model)
	k.diffs = k.diffs[:0]
	for i, e := range t.Model.Edges {
		k.diffs = binary.AppendVarint(k.diffs, int64(e.Count-shape.Edges[i].Count))
	}
	one := kept{rank: r.Rank, state: t.Op.State, inMPI: PositionOf(t).InMPI, shape: shape, counts: k.keepCounts(k.diffs)}
	if len(r.Channels) > 0 {
		one.comms, one.channels, one.probed = k.listOf(r)
	}
	for _, c := range r.Comms {
		if c.Neighbours != nil {
			one.near = append(one.near, topology{k.commOf(c), c.Neighbours})
		}
	}
	k.ranks = append(k.ranks, one)
}

// countBlock is how many bytes of counts are allocated at a time.
const countBlock = 64 << 10

// keepCounts copies counts to a block that many ranks share.
func (k *Keeper) keepCounts(b []byte) []byte {
	if cap(k.counts)-len(k.counts) < len(b) {
		k.counts = make([]byte, 0, max(countBlock, len(b)))
	}
	begin := len(k.counts)
	k.counts = append(k.counts, b...)
	return k.counts[begin:len(k.counts):len(k.counts)]
}

// listOf returns the communicators that channels of a rank are on, without what only
// that rank knows of them, the channels, and their messages that matched probes took. The list is
// nearly always that of the rank before.
func (k *Keeper) listOf(r *model.Rank) ([]*model.Comm, []model.Channel, []model.Taken) {
	var list []*model.Comm
	at, channels := map[int]int{}, make([]model.Channel, 0, len(r.Channels))
	for _, ch := range r.Channels {
		if ch.Comm < 0 || ch.Comm >= len(r.Comms) {
			continue
		}
		place, known := at[ch.Comm]
		if !known {
			place = len(list)
			at[ch.Comm], list = place, append(list, k.commOf(r.Comms[ch.Comm]))
		}
		ch.Comm = place
		channels = append(channels, ch)
	}
	var probed []model.Taken
	for _, m := range r.Probed {
		if place, known := at[m.Comm]; known {
			m.Comm = place
			probed = append(probed, m)
		}
	}
	if !slices.Equal(list, k.list) {
		k.list = list
	}
	return k.list, channels, probed
}

func (k *Keeper) commOf(c *model.Comm) *model.Comm {
	key := commKey{id: c.ID, kind: c.Kind}
	if c.Kind != model.Self {
		key.local, key.nlocal = unsafe.SliceData(c.Members), len(c.Members)
		key.remote, key.nremote = unsafe.SliceData(c.Remote), len(c.Remote)
	}
	known := k.comms[key]
	if known == nil {
		known = &model.Comm{ID: c.ID, Kind: c.Kind}
		if c.Kind != model.Self {
			known.Members, known.Remote = c.Members, c.Remote
		}
		k.comms[key] = known
	}
	return known
}

// shapeOf returns the first model that has the same states and edges.
func (k *Keeper) shapeOf(m *model.Model) *model.Model {
	if k.last != nil && loops.SameShape(k.last, m) {
		return k.last
	}
	key := loops.ShapeHash(m)
	for _, s := range k.shapes[key] {
		if loops.SameShape(s, m) {
			k.last = s
			return s
		}
	}
	k.last = loops.CopyShape(m)
	k.shapes[key] = append(k.shapes[key], k.last)
	return k.last
}

// Each gives f every rank that was kept, with what it is asked about and no more. The rank is made anew in the same memory:
// f keeps nothing of its threads.
func (k *Keeper) Each(f func(*model.Rank)) {
	var r restored
	for i := range k.ranks {
		r.restore(&k.ranks[i])
		f(&r.rank)
	}
}

// restored is the memory of one rank after the other.
type restored struct {
	rank    model.Rank
	thread  model.Thread
	threads [1]*model.Thread
}

func (r *restored) restore(k *kept) {
	edges, counts := append(r.thread.Model.Edges[:0], k.shape.Edges...), k.counts
	for i := range edges {
		n, size := binary.Varint(counts)
		counts = counts[size:]
		edges[i].Count += uint64(n)
	}
	comms := slices.Clip(k.comms)
	for _, n := range k.near {
		c := *n.comm
		c.Neighbours = n.neighbours
		comms = append(comms, &c)
	}
	r.thread = model.Thread{
		Model: model.Model{States: k.shape.States, Edges: edges},
		Op:    model.Op{State: k.state, InMPI: k.inMPI, Kind: model.Other},
	}
	r.threads[0] = &r.thread
	r.rank = model.Rank{Rank: k.rank, Threads: r.threads[:], Comms: comms, Channels: k.channels, Probed: k.probed}
}
