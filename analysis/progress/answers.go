package progress

import "laggard/model"

// query is a want of a rank, with its place in the summary.
type query struct {
	rank, wait, want int
	Want             *Want
}

// queryKey is what a channel of a peer must agree with.
type queryKey struct {
	comm   uint64
	waiter int
}

// queriesOf indexes the point-to-point wants of all ranks.
func queriesOf(s *Summary) map[queryKey][]query {
	out := map[queryKey][]query{}
	for _, f := range s.Facts {
		for i, wait := range f.Waits {
			for j := range wait.Wants {
				w := &f.Waits[i].Wants[j]
				if pointToPoint(w.Kind) && !w.Lost {
					key := queryKey{w.Comm, f.Rank}
					out[key] = append(out[key], query{f.Rank, i, j, w})
				}
			}
		}
	}
	return out
}

func pointToPoint(k model.Kind) bool {
	return k == model.Send || k == model.Recv || k == model.Probe
}

// appendAnswers looks up, in the channels of a rank, what the waiting ranks ask.
// A channel is keyed by its owner's communicator index, hence the way through
// the communicator's ID and the world rank.
func appendAnswers(out []Answer, r *model.Rank, queries map[queryKey][]query) []Answer {
	for _, ch := range r.Channels {
		if ch.Comm < 0 || ch.Comm >= len(r.Comms) {
			continue
		}
		c := r.Comms[ch.Comm]
		waiter := worldPeer(r, c, ch.Peer)
		for _, q := range queries[queryKey{c.ID, waiter}] {
			if n := q.answer(r.Rank, ch); n > 0 {
				out = append(out, Answer{q.rank, q.wait, q.want, r.Rank, n})
			}
		}
	}
	return out
}

// answer returns what a channel of the peer adds to the answer.
func (q *query) answer(peer int, ch model.Channel) uint64 {
	w := q.Want
	switch {
	case !w.matches(peer, ch.Tag):
		return 0
	case w.Kind == model.Send:
		return ch.Received
	case !w.wild():
		return ch.Sent
	case ch.Sent > w.had(peer, ch.Tag):
		return ch.Sent - w.had(peer, ch.Tag)
	}
	return 0
}
