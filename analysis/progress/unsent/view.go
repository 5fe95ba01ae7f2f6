package unsent

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/rankviews"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/reduce"
)

// Wait is a receive that waits for a message which its sender has not begun to send; or, if Failed, in which MPI reported an error; or, if
// AnySource, one from any source that waits while a message of the peer lies there which differs in its tag or its communicator only.
type Wait struct {
	Rank   int    `json:"rank"` // that waits
	Peer   int    `json:"peer"` // that should send, a rank of MPI_COMM_WORLD too
	Comm   uint64 `json:"comm"`
	Tag    int    `json:"tag"`
	Number uint64 `json:"number"` // of the message on its channel, from 1; 0: AnySource
	Sent   uint64 `json:"sent"`   // messages of the channel that were sent
	Failed bool   `json:"failed,omitempty"`

	AnySource bool `json:"any_source,omitempty"`
	// Wild: the receive leaves the tag open (model.Any), or the source on an intercommunicator where only the peer can send. Number and
	// Sent are what the peer tells.
	Wild bool `json:"wild,omitempty"`
}

// AnyTag reports whether the rank waits for a message with any tag.
func (w *Wait) AnyTag() bool { return w.Tag == model.Any }

// IsOwed reports whether the peer should send a message, and none other could.
func (w *Wait) IsOwed() bool { return !w.Failed && !w.AnySource }

// View is what some ranks say about waits.
type View struct{ rankviews.Views[rankView] }

// rankView is what one rank says.
type rankView struct {
	Rank     int             `json:"rank"`
	At       model.StateID   `json:"at"` // the call that it is in, or was in last; zero unknown
	InMPI    bool            `json:"in_mpi"`
	Called   []model.StateID `json:"called,omitempty"` // the calls that send, which it has made
	Sent     []channel       `json:"sent,omitempty"`
	Received []channel       `json:"received,omitempty"`
	// Wildcards are its receives with a wildcard that are not complete.
	Wildcards []facts.Wildcard `json:"wildcards,omitempty"`
	// Alike are, by intercommunicator of a wait for this rank, all that it made by the same call: each may lead to one of several
	// processes that it spawned.
	Alike map[uint64][]uint64 `json:"alike,omitempty"`
}

// RankOf is the rank that tells.
func (r rankView) RankOf() int { return r.Rank }

// channel is messages to or from a rank.
type channel struct {
	Comm  uint64 `json:"comm"`
	Peer  int    `json:"peer"` // a rank of MPI_COMM_WORLD
	Tag   int    `json:"tag"`
	Count uint64 `json:"count"`
	// By is the call that sends them, from the message First on; zero unknown.
	By    model.StateID `json:"by,omitzero"`
	First uint64        `json:"first,omitempty"`
}

// Views reduces the views of analysis ranks.
var Views = reduce.JSONMonoid(Merge)

// Merge joins two views.
func Merge(a, b View) View { return View{rankviews.Merge(a.Views, b.Views)} }

// maxOthers bounds the ranks that are asked besides those that wait or should send: what sends a message of a kind is mostly
// the same call in all.
const maxOthers = 16

// Asked are the ranks of a job that are asked about waits.
func Asked(waits []Wait, size int) model.RankSet {
	if len(waits) == 0 {
		return model.RankSet{}
	}
	out := SomeOf(size)
	for _, w := range waits {
		out.Add(w.Rank)
		out.Add(w.Peer)
	}
	return out
}

// SomeOf are a few ranks of a job, spread over all of them.
func SomeOf(size int) (out model.RankSet) {
	for k := range min(size, maxOthers) {
		out.Add(k * size / min(size, maxOthers))
	}
	return out
}

// ViewOf is what one rank says about waits; asked are all ranks that say something.
func ViewOf(r *model.Rank, waits []Wait, asked model.RankSet) View {
	v := View{rankviews.Views[rankView]{States: map[model.StateID]*model.State{}}}
	one := rankView{Rank: r.Rank}
	if t := facts.Representative(r); t != nil {
		at := facts.PositionOf(t)
		one.At, one.InMPI = at.State, at.InMPI
		v.Keep(t, t.Op.State)
	}
	one.Alike = intercommsAlike(r, waits)
	senders := map[channelKey]model.Origin{}
	for _, s := range r.Origins {
		senders[channelKey{s.Comm, s.Peer, s.Tag}] = s
	}
	for _, ch := range r.Channels {
		c, ok := channelOf(r, ch)
		if !ok || !slices.ContainsFunc(waits, func(w Wait) bool { return concerns(w, r.Rank, c, asked) || one.isAlike(w, c) }) {
			continue
		}
		if c.Count = ch.Received; c.Count > 0 {
			one.Received = append(one.Received, c)
		}
		if c.Count = ch.Sent; c.Count > 0 {
			if s, known := senders[channelKey{ch.Comm, ch.Peer, ch.Tag}]; known {
				c.By, c.First = v.Keep(r.Threads[s.Thread], s.State), s.Number
			}
			one.Sent = append(one.Sent, c)
		}
	}
	one.Called, one.Wildcards = callsThatSend(r), facts.WildcardsOf(r)
	v.Ranks = []rankView{one}
	return v
}

// intercommsAlike are the intercommunicators that a rank made by the same call as those of waits for it.
func intercommsAlike(r *model.Rank, waits []Wait) map[uint64][]uint64 {
	out := map[uint64][]uint64{}
	for _, w := range waits {
		i := slices.IndexFunc(r.Comms, func(c *model.Comm) bool { return c.ID == w.Comm })
		if w.Peer != r.Rank || i < 0 || r.Comms[i].Kind != model.Inter {
			continue
		}
		maker := r.MakerOf(r.Comms[i])
		for _, c := range r.Comms {
			if maker != nil && c.Kind == model.Inter && r.MakerOf(c) == maker && len(out[w.Comm]) < maxAlike {
				out[w.Comm] = append(out[w.Comm], c.ID)
			}
		}
	}
	return out
}

// maxAlike bounds the intercommunicators of one call that are looked at.
const maxAlike = 4096

// isAlike reports whether messages that a rank sent are of the kind that a wait is for: by their tag, if that has one, and by their
// communicator, or one that the rank made by the same call.
func (r *rankView) isAlike(w Wait, c channel) bool {
	on := c.Comm == w.Comm || slices.Contains(r.Alike[w.Comm], c.Comm)
	return r.Rank == w.Peer && on && (w.AnyTag() || c.Tag == w.Tag)
}

// channelKey names a channel in the terms of one rank.
type channelKey struct{ comm, peer, tag int }

// channelOf names a channel in terms of all ranks; false: it is not of the program's messages, or the peer is not known.
func channelOf(r *model.Rank, ch model.Channel) (channel, bool) {
	if ch.Comm < 0 || ch.Comm >= len(r.Comms) || !facts.IsMessageTag(ch.Tag) {
		return channel{}, false
	}
	c := r.Comms[ch.Comm]
	peer := facts.WorldPeer(r, c, ch.Peer)
	return channel{Comm: c.ID, Peer: peer, Tag: ch.Tag}, peer >= 0
}

// concerns reports whether a channel of a rank may say something of a wait: it is of the same communicator and tag, or between the two,
// or it is for the tag and one end is the rank that should send, or it leads to the rank that waits from one that is asked.
func concerns(w Wait, rank int, c channel, asked model.RankSet) bool {
	between := rank == w.Peer && c.Peer == w.Rank || rank == w.Rank && c.Peer == w.Peer
	ofSender := rank == w.Peer || c.Peer == w.Peer
	to := c.Comm == w.Comm && (c.Peer == w.Rank || rank == w.Rank && asked.Contains(c.Peer))
	return between || to || c.Tag == w.Tag && (c.Comm == w.Comm || ofSender)
}

// callsThatSend are the calls of a rank that send a message to one rank each.
func callsThatSend(r *model.Rank) (out []model.StateID) {
	for _, t := range r.Threads {
		for _, s := range t.Model.States {
			if f := mpi.FunctionOf(s.Call); f != nil && (f.Class.SendsMessage() || f.Class.StartsRequests()) {
				out = append(out, s.ID)
			}
		}
	}
	return out
}
