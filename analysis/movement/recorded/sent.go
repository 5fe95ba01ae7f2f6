package recorded

import (
	"cmp"
	"hash/fnv"
	"slices"

	"laggard/analysis/movement/chain"
	"laggard/model"
)

// Sent is how many bytes ranks sent by which way. The zero value is none.
type Sent struct {
	Ends     []EndBytes  `json:"ends"`     // by Connection, then Rank
	Messages []PairBytes `json:"messages"` // by From, then To; each once
	Within   bool        `json:"within"`   // what is copied or transferred within MPI calls was recorded, too
}

// EndBytes is what went out of a rank by a connection.
type EndBytes struct {
	Connection uint64 `json:"connection"` // the same at both ends
	Upper      bool   `json:"upper"`      // which of the two ends it is
	Rank       int    `json:"rank"`
	Bytes      uint64 `json:"bytes"`
}

// PairBytes is what a rank sent to another by MPI.
type PairBytes struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Bytes uint64 `json:"bytes"`
}

// MergeSent unites what different ranks sent.
func MergeSent(a, b Sent) Sent {
	out := Sent{Within: a.Within || b.Within}
	out.Ends = append(slices.Clone(a.Ends), b.Ends...)
	out.Messages = append(slices.Clone(a.Messages), b.Messages...)
	slices.SortFunc(out.Ends, func(x, y EndBytes) int {
		return cmp.Or(cmp.Compare(x.Connection, y.Connection), cmp.Compare(x.Rank, y.Rank),
			cmp.Compare(x.Bytes, y.Bytes))
	})
	slices.SortFunc(out.Messages, func(x, y PairBytes) int { return cmp.Or(x.From-y.From, x.To-y.To) })
	return out
}

// Sent returns what the rank sent, and what is wrong with its streams.
func (r *Reader) Sent() (Sent, []error) {
	var t Sent
	ends, messages := map[end]uint64{}, map[int]uint64{}
	links, inside := links{host: r.rank.Host}, r.matchSites(InsideMPI)
	errs := r.Moves(func(m *Move) {
		moves := m.Kind == Copy || m.Kind == Out || m.Kind == In
		t.Within = t.Within || moves && hasKind(inside, m.Site)
		switch m.Kind {
		case End:
			links.addEnd(m)
			if e, known := links.endOf(m.Link); known {
				ends[e] += 0 // one that only receives is an end, too
			}
		case Out:
			if e, known := links.endOf(m.Link); known {
				ends[e] += m.Bytes
			}
		case Send:
			if to, known := r.peerRank(m); known {
				messages[to] += m.Bytes
			}
		}
	})
	for e, n := range ends {
		t.Ends = append(t.Ends, EndBytes{e.connection, e.upper, r.rank.Rank, n})
	}
	for to, n := range messages {
		t.Messages = append(t.Messages, PairBytes{r.rank.Rank, to, n})
	}
	return MergeSent(t, Sent{}), errs
}

// end is one of the two ends of a connection.
type end struct {
	connection uint64
	upper      bool
}

// channel is the way of the bytes that go out of the end, or come in.
func (e end) channel(out bool) chain.Channel {
	c := chain.Channel{Stream: true, ID: e.connection}
	if e.upper == out {
		c.From = 1
	} else {
		c.To = 1
	}
	return c
}

// links are the connections of a process by number.
type links struct {
	host string
	ends map[int]end
}

// addEnd notes what a connection is called. Both ends have the two names, so that
// the lesser one and the host, if it does not lead out of it, name it.
func (l *links) addEnd(m *Move) {
	n := m.Name
	if n.Kind != StreamEnd && n.Kind != LocalEnd || n.Own == n.Other {
		return
	}
	if l.ends == nil {
		l.ends = map[int]end{}
	}
	h := fnv.New64a()
	for _, s := range []string{min(n.Own, n.Other), max(n.Own, n.Other)} {
		h.Write([]byte{byte(len(s))})
		h.Write([]byte(s))
	}
	if n.Kind == LocalEnd {
		h.Write([]byte(l.host))
	}
	l.ends[m.Link] = end{h.Sum64(), n.Own > n.Other}
}

func (l *links) endOf(link int) (end, bool) {
	e, known := l.ends[link]
	return e, known
}

// peerRank returns the world rank of the other side of a message.
func (r *Reader) peerRank(m *Move) (int, bool) {
	if m.Comm >= len(r.rank.Comms) || m.Seq == 0 {
		return 0, false
	}
	peer := r.rank.Comms[m.Comm].WorldRank(m.Peer)
	return max(peer, 0), peer >= 0
}

// Ways says by which way data are followed from rank to rank.
type Ways struct {
	joined   map[uint64]bool // connections both of whose ends are known
	messages map[[2]int]bool // from, to: by the messages of MPI
}

// visible is how much of what MPI sends from one rank to another must be seen on
// connections between them for these to be followed: half, since a transport may
// compress nothing but may send some of it otherwise.
const visible = 0.5

// Ways decides from what all ranks sent.
func (t Sent) Ways() Ways {
	w := Ways{map[uint64]bool{}, map[[2]int]bool{}}
	streamed := map[[2]int]uint64{}
	for i := 1; i < len(t.Ends); i++ {
		a, b := t.Ends[i-1], t.Ends[i]
		if a.Connection == b.Connection && a.Upper != b.Upper {
			w.joined[a.Connection] = true
			streamed[[2]int{a.Rank, b.Rank}] += a.Bytes
			streamed[[2]int{b.Rank, a.Rank}] += b.Bytes
		}
	}
	for _, m := range t.Messages {
		pair := [2]int{m.From, m.To}
		if float64(streamed[pair]) < visible*float64(m.Bytes) {
			w.messages[pair] = true
		}
	}
	return w
}

// Streams and Messages count the two kinds of ways: connections between ranks,
// and pairs of ranks whose messages are followed by MPI.
func (w Ways) Streams() int { return len(w.joined) }

// Messages is told with Streams.
func (w Ways) Messages() int { return len(w.messages) }

// commOf names a communicator alike at all members.
func commOf(r *model.Rank, comm int) uint64 { return r.Comms[comm].ID }
