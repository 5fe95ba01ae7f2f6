package facts

import (
	"cmp"
	"slices"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/reduce"
)

// Wait is the operation that a thread is blocked in, or spins on.
type Wait struct {
	Kind model.Kind
	Call string
	// Side is set for a thread that is not the representative one.
	Side bool
	// Holds is set for a thread that has what the representative one waits for, so that the rank waits for what it waits for.
	Holds    bool
	Wants    []Want
	Unlisted bool // more may be wanted than the record had room for
}

// Want is one pending operation of a wait: the query that goes to its peer.
type Want struct {
	Kind model.Kind
	Call string // the call that started it
	Comm uint64
	Self bool // on MPI_COMM_SELF
	// Lost: the communicator is not known.
	Lost bool
	// Peer is a rank of MPI_COMM_WORLD; or None, Any, ProcNull; or -1 unknown.
	Peer int
	Tag  int    // as in model.Pending
	Seq  uint64 // as in model.Pending
	// Overtaken counts the messages of the channel of a receive that ones with a wildcard were found to have taken once this one was
	// begun. Those may have been begun before it, and its number is higher then.
	Overtaken uint64
	// ChannelCounts are the messages received so far where a wildcard leaves several
	// channels open, by peer and tag. Without a wildcard, and with Seq
	// unknown, it is the one channel.
	ChannelCounts []ChannelCount
	// Others are the messages received so far on other channels than that of a receive, if OthersKnown: from its peer, or from all ranks if
	// it is one from any source. Of a receive of any tag they are not known.
	Others      []ChannelTotal
	OthersKnown bool
	// Taken is the latest message on the channel of a receive that one with a wildcard took, as far as the record
	// goes back; its Number is 0: none. Of a receive from any source it is one that a call took which leaves the
	// tag open too, while this one has taken others.
	Taken Taken
	// Neighbourhood: a collective among neighbours, which are known. The rank receives
	// from Sources and sends to Dests, ranks of MPI_COMM_WORLD.
	Neighbourhood  bool
	Sources, Dests model.RankSet
}

// Taken is a message that a receive with a wildcard took.
type Taken struct {
	Peer              int    // a rank of MPI_COMM_WORLD, which sent it
	Number            uint64 // on its channel, from 1
	AnySource, AnyTag bool   // what the receive left open
	Call              string // the receive, or what began it; "" unknown
	Stack             []model.Frame
}

// ChannelCount counts messages received from a peer with a tag.
type ChannelCount struct {
	Peer  int
	Tag   int
	Count uint64
}

// ChannelTotal counts messages between two ranks on a communicator with a tag.
type ChannelTotal struct {
	Comm  uint64 `json:"comm"`
	Tag   int    `json:"tag"`
	Count uint64 `json:"count"`
}

func compareChannelTotals(x, y ChannelTotal) int {
	return cmp.Or(cmp.Compare(x.Comm, y.Comm), cmp.Compare(x.Tag, y.Tag))
}

func joinChannelTotals(x, y ChannelTotal) ChannelTotal {
	x.Count += y.Count
	return x
}

// appendWait appends what the thread waits for, if it waits.
func appendWait(waits []Wait, r *model.Rank, t *model.Thread, main bool) []Wait {
	if !isBlocked(t) {
		return waits
	}
	w := Wait{Kind: t.Op.Kind, Side: !main, Unlisted: t.Op.Unlisted > 0 || r.LostRequests > 0}
	if s := stateOf(t, t.Op.State); s != nil {
		w.Call = validUTF8(s.Call)
	}
	for _, p := range t.Op.Pending {
		w.Wants = append(w.Wants, wantOf(r, t, p))
	}
	return append(waits, w)
}

// shareWaits returns the waits of a rank, or those of another one if they are alike: most ranks of a job that hangs wait for the same
// collective, and there may be a million of them.
func shareWaits(waits, others []Wait) []Wait {
	if slices.EqualFunc(waits, others, func(a, b Wait) bool {
		return a.Kind == b.Kind && a.Call == b.Call && a.Side == b.Side && a.Holds == b.Holds && a.Unlisted == b.Unlisted &&
			slices.EqualFunc(a.Wants, b.Wants, sameSimpleWant)
	}) {
		return others
	}
	return waits
}

// sameSimpleWant reports whether two wants are alike; of those that say something of channels or neighbours this is not asked.
func sameSimpleWant(a, b Want) bool {
	simple := func(w *Want) bool {
		return w.ChannelCounts == nil && w.Others == nil && w.Taken.Number == 0 && w.Overtaken == 0 && !w.Neighbourhood
	}
	return simple(&a) && simple(&b) && a.Kind == b.Kind && a.Call == b.Call && a.Comm == b.Comm && a.Self == b.Self && a.Lost == b.Lost &&
		a.Peer == b.Peer && a.Tag == b.Tag && a.Seq == b.Seq && a.OthersKnown == b.OthersKnown
}

// isBlocked reports whether the thread is in a call that may have to wait, or in a
// loop around one that does not.
func isBlocked(t *model.Thread) bool {
	switch t.Op.Kind {
	case model.Local, model.Abort:
		return false
	case model.Poll:
		return isSpinning(t)
	}
	return t.Op.InMPI
}

func wantOf(r *model.Rank, t *model.Thread, p model.Pending) Want {
	w := Want{Kind: p.Kind, Peer: p.Peer, Tag: p.Tag, Seq: p.Seq}
	if s := stateOf(t, p.State); s != nil {
		w.Call = validUTF8(s.Call)
	}
	if p.Comm < 0 || p.Comm >= len(r.Comms) {
		w.Lost = true
		return w
	}
	c := r.Comms[p.Comm]
	w.Comm, w.Self = c.ID, c.Kind == model.Self
	w.Peer = WorldPeer(r, c, p.Peer)
	switch {
	case w.Kind == model.Recv || w.Kind == model.Probe:
		w.ChannelCounts, w.Taken, w.Overtaken = channelCounts(r, w), takenOf(r, w, t, p), overtaken(r, p)
		w.Others, w.OthersKnown = otherChannels(r, w)
	case w.Kind == model.Collective && c.Neighbours != nil && w.Function().HasTrait(mpi.Neighbours):
		w.Neighbourhood = true
		w.Sources, w.Dests = worldRanks(r, c, c.Neighbours.Sources), worldRanks(r, c, c.Neighbours.Dests)
	}
	return w
}

// worldRanks translates ranks in a communicator, as far as they are known.
func worldRanks(r *model.Rank, c *model.Comm, ranks []int) model.RankSet {
	var out model.RankSet
	for _, rank := range ranks {
		out.Add(WorldPeer(r, c, rank))
	}
	return out
}

// WorldPeer translates a peer in a communicator to its rank in MPI_COMM_WORLD,
// -1 if that is not known. Special peers stay as they are.
func WorldPeer(r *model.Rank, c *model.Comm, peer int) int {
	switch {
	case peer == model.None || peer == model.Any || peer == model.ProcNull:
		return peer
	case c.Kind == model.Self && peer == 0:
		return r.Rank
	}
	return c.WorldRank(peer)
}

// channelCounts returns what was received on the channels that the want leaves open.
// A receive with its number needs none of them.
func channelCounts(r *model.Rank, w Want) []ChannelCount {
	if w.Seq > 0 && w.Peer != model.Any && w.Tag != model.Any {
		return nil
	}
	var had []ChannelCount
	for _, ch := range r.Channels {
		if ch.Received == 0 || ch.Comm < 0 || ch.Comm >= len(r.Comms) || r.Comms[ch.Comm].ID != w.Comm {
			continue
		}
		peer := WorldPeer(r, r.Comms[ch.Comm], ch.Peer)
		if peer >= 0 && w.Matches(peer, ch.Tag) {
			had = append(had, ChannelCount{peer, ch.Tag, ch.Received})
		}
	}
	return reduce.SortJoined(had, compareChannelCounts, func(x, y ChannelCount) ChannelCount { x.Count += y.Count; return x })
}

// maxOthers bounds the other channels of a want. Of programs that use a tag for each message they prove nothing.
const maxOthers = 16

// otherChannels returns what was received from the peer of a want, or from all, on other channels; not known if that is too much, or not
// recorded completely, or the want leaves the tag open.
func otherChannels(r *model.Rank, w Want) (had []ChannelTotal, known bool) {
	anyone := w.Peer == model.Any
	if w.Kind != model.Recv && !anyone || w.Tag == model.Any || w.Peer < 0 && !anyone || r.Evicted > 0 || r.Off {
		return nil, false
	}
	for _, ch := range r.Channels {
		if ch.Received == 0 || ch.Comm < 0 || ch.Comm >= len(r.Comms) || !IsMessageTag(ch.Tag) {
			continue
		}
		c := r.Comms[ch.Comm]
		if !anyone && WorldPeer(r, c, ch.Peer) != w.Peer || c.ID == w.Comm && ch.Tag == w.Tag {
			continue
		}
		had = append(had, ChannelTotal{c.ID, ch.Tag, ch.Received})
	}
	had = reduce.SortJoined(had, compareChannelTotals, joinChannelTotals)
	if len(had) > maxOthers {
		return nil, false
	}
	return had, true
}

// IsMessageTag reports whether a tag is one of the program's messages, and not of a window.
func IsMessageTag(tag int) bool { return tag != model.TagPost && tag != model.TagComplete }

// otherCount returns what was received from the peer on another channel.
func (w *Want) otherCount(comm uint64, tag int) uint64 {
	if i, ok := slices.BinarySearchFunc(w.Others, ChannelTotal{Comm: comm, Tag: tag}, compareChannelTotals); ok {
		return w.Others[i].Count
	}
	return 0
}

// takenOf returns what a wildcard took last of the channel of what a thread waits for.
func takenOf(r *model.Rank, w Want, t *model.Thread, p model.Pending) (last Taken) {
	if w.Tag == model.Any {
		return Taken{}
	}
	habit := false // the same receive took such messages before
	for _, m := range r.Taken {
		c := r.Comms[m.Comm]
		peer := WorldPeer(r, c, m.Peer)
		if c.ID != w.Comm || !w.Matches(peer, m.Tag) {
			continue
		}
		if r.Threads[m.Thread] == t && m.State == p.State {
			habit = true
			continue
		}
		if m.Number <= last.Number || w.Wild() && !m.AnyTag {
			continue
		}
		last = Taken{Peer: peer, Number: m.Number, AnySource: m.AnySource, AnyTag: m.AnyTag}
		if s := stateOf(r.Threads[m.Thread], m.State); s != nil {
			last.Call, last.Stack = validUTF8(s.Call), s.Stack
		}
	}
	if w.Wild() && !habit {
		return Taken{}
	}
	return last
}

// overtaken counts what wildcards were found to have taken of the channel of a receive since it was begun, as far as the record goes back.
func overtaken(r *model.Rank, p model.Pending) (n uint64) {
	for _, m := range r.Taken {
		if p.Seq > 0 && m.Comm == p.Comm && m.Peer == p.Peer && m.Tag == p.Tag && m.Number > p.Seq {
			n++
		}
	}
	return n
}

// Matches reports whether a message between the rank and that peer, with that
// tag, is of the kind wanted.
func (w *Want) Matches(peer, tag int) bool {
	return (w.Peer == model.Any || w.Peer == peer) && (w.Tag == model.Any || w.Tag == tag)
}

// CountFor returns how many messages with a tag the receive has taken from a peer.
func (w *Want) CountFor(peer, tag int) uint64 {
	if i, ok := slices.BinarySearchFunc(w.ChannelCounts, ChannelCount{Peer: peer, Tag: tag}, compareChannelCounts); ok {
		return w.ChannelCounts[i].Count
	}
	return 0
}

func compareChannelCounts(x, y ChannelCount) int {
	if x.Peer != y.Peer {
		return x.Peer - y.Peer
	}
	return x.Tag - y.Tag
}

// Wild reports whether the want leaves open which channel its message comes on.
func (w *Want) Wild() bool {
	return w.Kind != model.Send && (w.Peer == model.Any || w.Tag == model.Any)
}

// Function returns the MPI function of the call that wants it, nil if that is not known.
func (w *Want) Function() *mpi.Function { return mpi.FunctionOf(w.Call) }

// Function returns the MPI function that waits, nil if that is not known.
func (w *Wait) Function() *mpi.Function { return mpi.FunctionOf(w.Call) }

// Number returns which message of its channel a receive or a probe needs, 0 if
// that is not known. A probe looks for the one after those that were received.
func (w *Want) Number() uint64 {
	switch {
	case w.Wild():
		return 1 // the answer counts only what was sent beyond
	case w.Seq > 0:
		return w.Seq
	case w.Kind == model.Probe:
		return w.CountFor(w.Peer, w.Tag) + 1
	}
	return w.CountFor(w.Peer, w.Tag)
}

// WaitsOn reports whether the thread that speaks for a rank waits for something on a communicator.
func (f *Fact) WaitsOn(comm uint64) bool {
	main := slices.IndexFunc(f.Waits, func(w Wait) bool { return !w.Side })
	return main >= 0 && slices.ContainsFunc(f.Waits[main].Wants, func(w Want) bool { return w.Comm == comm })
}
