package facts

import (
	"cmp"
	"fmt"
	"slices"

	"laggard/model"
	"laggard/reduce"
)

// Answer is a peer's counter for a want: messages sent to the waiting rank for
// a receive, received from it for a send. For a receive with a wildcard it
// counts only those sent beyond what the waiting rank has received.
type Answer struct {
	Rank  int    `json:"rank"` // that waits
	Wait  int    `json:"wait"` // index into its Waits
	Want  int    `json:"want"` // index into the wait's Wants
	From  int    `json:"from"` // the peer
	Count uint64 `json:"count"`
	// Probed: a matched probe of the peer took the message, and no receive of it was begun.
	Probed bool `json:"probed,omitempty"`
	// Strays are messages that the peer has sent to the waiting rank on other channels than that of its receive, beyond what that
	// has received there; for a receive from any source those that differ from it in tag or communicator only, and of which that rank has
	// received none from anybody.
	Strays []ChannelTotal `json:"strays,omitempty"`
	// Of a collective among neighbours: the waiting rank receives from the peer, which does not list it as a destination; and it
	// sends to the peer, which does not list it as a source.
	NotDest   bool `json:"not_dest,omitempty"`
	NotSource bool `json:"not_source,omitempty"`
}

func compareAnswers(x, y Answer) int {
	return cmp.Or(cmp.Compare(x.Rank, y.Rank), cmp.Compare(x.Wait, y.Wait),
		cmp.Compare(x.Want, y.Want), cmp.Compare(x.From, y.From))
}

func joinAnswers(x, y Answer) Answer {
	x.Count += y.Count
	x.Probed = x.Probed || y.Probed
	x.NotDest, x.NotSource = x.NotDest || y.NotDest, x.NotSource || y.NotSource
	x.Strays = reduce.SortJoined(append(slices.Clone(x.Strays), y.Strays...), compareChannelTotals, joinChannelTotals)
	return x
}

// MergeAnswers joins the answers of two blocks.
func MergeAnswers(a, b []Answer) []Answer {
	return reduce.MergeSorted(a, b, compareAnswers, joinAnswers)
}

// CheckAnswers verifies the order of answers that were received. Errors wrap
// ErrEncoding.
func CheckAnswers(answers []Answer) error {
	for i, a := range answers {
		if i > 0 && compareAnswers(answers[i-1], a) >= 0 {
			return fmt.Errorf("%w: answers out of order", ErrEncoding)
		}
	}
	return nil
}

// query is a want of a rank, with its place in the summary.
type query struct {
	rank, wait, want int
	Want             *Want
	wildcards        []Wildcard // of the rank
}

// queryKey is what a channel of a peer must agree with.
type queryKey struct {
	comm   uint64
	waiter int
}

// neighbourKey is what a communicator of a neighbour must agree with.
type neighbourKey struct {
	comm      uint64
	neighbour int
}

// Queries are the point-to-point wants of all ranks, which a peer's message
// counters may answer, and their collectives among neighbours, which the lists of
// these may. It folds peers one by one.
type Queries struct {
	wants map[queryKey][]query
	stray map[int][]query // the receives that know what came on other channels, by the rank that waits
	near  map[neighbourKey][]query
	found []Answer
}

// NewQueries indexes the wants of a summary.
func NewQueries(s *Summary) *Queries {
	out := &Queries{wants: map[queryKey][]query{}, stray: map[int][]query{}, near: map[neighbourKey][]query{}}
	for _, f := range s.Facts {
		for i, wait := range f.Waits {
			for j := range wait.Wants {
				w := &f.Waits[i].Wants[j]
				one := query{f.Rank, i, j, w, f.Wildcards}
				if w.Neighbourhood {
					w.Sources.Union(w.Dests).Each(func(neighbour int) {
						key := neighbourKey{w.Comm, neighbour}
						out.near[key] = append(out.near[key], one)
					})
				}
				if PointToPoint(w.Kind) && !w.Lost {
					key := queryKey{w.Comm, f.Rank}
					out.wants[key] = append(out.wants[key], one)
					if w.OthersKnown {
						out.stray[f.Rank] = append(out.stray[f.Rank], one)
					}
				}
			}
		}
	}
	return out
}

// PointToPoint reports whether an operation of this kind is a message or looks for
// one.
func PointToPoint(k model.Kind) bool {
	return k == model.Send || k == model.Recv || k == model.Probe
}

// Ask looks up, in the channels of a rank, what the waiting ranks ask. A channel
// is keyed by its owner's communicator index, hence the way through the
// communicator's ID and the world rank.
func (q *Queries) Ask(r *model.Rank) {
	q.askNeighbours(r)
	if len(q.wants) == 0 {
		return
	}
	for _, ch := range r.Channels {
		if ch.Comm < 0 || ch.Comm >= len(r.Comms) {
			continue
		}
		c := r.Comms[ch.Comm]
		waiter := WorldPeer(r, c, ch.Peer)
		for _, one := range q.wants[queryKey{c.ID, waiter}] {
			probed := probedOn(r, ch)
			a := Answer{Rank: one.rank, Wait: one.wait, Want: one.want, From: r.Rank, Count: one.answerFrom(r.Rank, ch, probed),
				Probed: one.Want.Kind == model.Send && one.Want.Tag == ch.Tag && slices.Contains(probed, one.Want.Seq)}
			if a.Count > 0 || a.Probed {
				q.found = append(q.found, a)
			}
		}
		if ch.Sent == 0 || !IsMessageTag(ch.Tag) {
			continue
		}
		for _, one := range q.stray[waiter] {
			if n := one.straysOn(r.Rank, c.ID, ch); n > 0 {
				q.found = append(q.found, Answer{Rank: one.rank, Wait: one.wait, Want: one.want, From: r.Rank,
					Strays: []ChannelTotal{{c.ID, ch.Tag, n}}})
			}
		}
	}
}

// askNeighbours looks up, in the lists of neighbours that a rank gave, whether it lists the waiting ranks that list it.
func (q *Queries) askNeighbours(r *model.Rank) {
	if len(q.near) == 0 {
		return
	}
	for _, c := range r.Comms {
		if c.Neighbours == nil {
			continue
		}
		near := q.near[neighbourKey{c.ID, r.Rank}]
		if len(near) == 0 {
			continue
		}
		sources, dests := worldRanks(r, c, c.Neighbours.Sources), worldRanks(r, c, c.Neighbours.Dests)
		if sources.Len() < len(c.Neighbours.Sources) || dests.Len() < len(c.Neighbours.Dests) {
			continue // one of those that are not known may be the waiting rank
		}
		for _, one := range near {
			a := Answer{Rank: one.rank, Wait: one.wait, Want: one.want, From: r.Rank,
				NotDest:   one.Want.Sources.Contains(r.Rank) && !dests.Contains(one.rank),
				NotSource: one.Want.Dests.Contains(r.Rank) && !sources.Contains(one.rank)}
			if a.NotDest || a.NotSource {
				q.found = append(q.found, a)
			}
		}
	}
}

// straysOn returns how many messages a peer has sent on a channel that is another one than that of the receive, beyond what was
// received there or may have been taken by a wildcard.
func (q *query) straysOn(peer int, comm uint64, ch model.Channel) uint64 {
	w := q.Want
	had := w.otherCount(comm, ch.Tag) + CountTaking(q.wildcards, comm, peer, ch.Tag)
	switch anyone := w.Peer == model.Any; {
	case comm == w.Comm && ch.Tag == w.Tag, !anyone && w.Peer != peer,
		anyone && (had > 0 || comm != w.Comm && ch.Tag != w.Tag || peer == q.rank):
		return 0
	}
	return ch.Sent - min(had, ch.Sent)
}

// Answers returns what the ranks that were asked answered, ascending.
func (q *Queries) Answers() []Answer { return reduce.SortJoined(q.found, compareAnswers, joinAnswers) }

// probedOn lists the numbers of the messages of a channel that matched probes took, and that no receive was begun for.
func probedOn(r *model.Rank, ch model.Channel) (numbers []uint64) {
	for _, m := range r.Probed {
		if m.Comm == ch.Comm && m.Peer == ch.Peer && m.Tag == ch.Tag {
			numbers = append(numbers, m.Number)
		}
	}
	return numbers
}

// receivesBegun is how many messages of a channel a rank has begun to receive, as the sender of one of them counts: at least its
// number if that message is among them, and less if not. received counts those that matched probes took, too.
func receivesBegun(number, received uint64, probed []uint64) uint64 {
	begun := received - min(uint64(len(probed)), received)
	switch {
	case number == 0 || number > received:
		return begun
	case slices.Contains(probed, number):
		return min(begun, number-1)
	}
	return max(begun, number)
}

// answerFrom returns what a channel of the peer adds to the answer; see probedOn.
func (q *query) answerFrom(peer int, ch model.Channel, probed []uint64) uint64 {
	w := q.Want
	switch {
	case !w.Matches(peer, ch.Tag):
		return 0
	case w.Kind == model.Send:
		return receivesBegun(w.Seq, ch.Received, probed)
	case !w.Wild():
		return ch.Sent
	case ch.Sent > w.CountFor(peer, ch.Tag):
		return ch.Sent - w.CountFor(peer, ch.Tag)
	}
	return 0
}
