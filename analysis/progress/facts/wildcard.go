package facts

import (
	"slices"

	"laggard/model"
	"laggard/model/wire"
)

// Wildcard is receives with a wildcard of a rank that were begun by one call and are not known to be complete. Each may have taken a
// message already; nothing tells.
type Wildcard struct {
	Comm  uint64        `json:"comm"`
	Peer  int           `json:"peer"` // a rank of MPI_COMM_WORLD, or model.Any
	Tag   int           `json:"tag"`  // or model.Any
	Count uint64        `json:"count"`
	Call  string        `json:"-"` // that began or made them; "" unknown
	Stack []model.Frame `json:"-"` // of that call
}

// WildcardsOf returns those of a rank.
func WildcardsOf(r *model.Rank) (out []Wildcard) {
	for _, m := range r.Wildcards {
		c := r.Comms[m.Comm]
		w := Wildcard{Comm: c.ID, Peer: WorldPeer(r, c, m.Peer), Tag: m.Tag, Count: m.Count}
		if s := stateOf(r.Threads[m.Thread], m.State); s != nil {
			w.Call, w.Stack = validUTF8(s.Call), s.Stack
		}
		out = append(out, w)
	}
	return out
}

// MayTake reports whether the receives may take a message. A peer or a tag that is model.Any stands for all.
func (w *Wildcard) MayTake(comm uint64, peer, tag int) bool {
	one := func(a, b int) bool { return a == b || a == model.Any || b == model.Any }
	return w.Comm == comm && one(w.Peer, peer) && one(w.Tag, tag) && IsMessageTag(tag)
}

// CountTaking counts, of some wildcards, the receives that may take a message; see MayTake.
func CountTaking(wildcards []Wildcard, comm uint64, peer, tag int) (n uint64) {
	for i := range wildcards {
		if w := &wildcards[i]; w.MayTake(comm, peer, tag) {
			n += w.Count
		}
	}
	return n
}

// shareWildcards returns the wildcards of a rank, or those of another one if they are alike; see shareWaits.
func shareWildcards(own, others []Wildcard) []Wildcard {
	if slices.EqualFunc(own, others, func(a, b Wildcard) bool {
		return a.Comm == b.Comm && a.Peer == b.Peer && a.Tag == b.Tag && a.Count == b.Count && a.Call == b.Call &&
			CompareFrames(a.Stack, b.Stack) == 0
	}) {
		return others
	}
	return own
}

func (w *Wildcard) code(c *wire.Coder) {
	wire.Uint(c, &w.Comm)
	wire.Int(c, &w.Peer)
	wire.Int(c, &w.Tag)
	wire.Uint(c, &w.Count)
	c.Text(&w.Call)
	c.Stack(&w.Stack)
}
