package compare

import (
	"cmp"
	"slices"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/reduce"
)

// profile is what one rank did, without anything that differs between equal runs or between ranks with the same role.
// States are numbers in the table of the run.
type profile struct {
	Size     int       `json:"size"`     // of MPI_COMM_WORLD
	Visits   []visit   `json:"visits"`   // in the order of the first visit
	Passages []passage `json:"passages"` // by From, To
	Channels []channel `json:"channels"`
	Begun    []begun   `json:"begun"` // the latest collectives, each kind once
	Failed   []failed  `json:"failed"`
	Sent     []sent    `json:"sent"`   // if volume was recorded
	Open     []int     `json:"open"`   // states of receives that took messages with a wildcard
	Stands   int       `json:"stands"` // its state at the end; -1 none
	Cut      bool      `json:"cut"`    // it did not come to MPI_Finalize
	Lossy    bool      `json:"lossy"`  // channels were dropped
}

type visit struct {
	State int    `json:"state"`
	Count uint64 `json:"count"`
}

type passage struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Count uint64 `json:"count"`
}

// commRef tells communicators apart in all runs: by what they are and by the call that made them.
type commRef struct {
	Kind model.CommKind `json:"kind"`
	Made int            `json:"made"` // state; -1 none
}

// channel counts messages with one peer, which is given by its distance, so that ranks with the same neighbours are alike.
type channel struct {
	Comm     commRef `json:"comm"`
	Distance int     `json:"distance"` // from the own rank up to the peer, around the group
	Group    int     `json:"group"`    // ranks in the group of the peer
	Tag      int     `json:"tag"`
	Sent     uint64  `json:"sent"`
	Received uint64  `json:"received"`
	Sender   int     `json:"sender"`   // state of the call that sends; -1 unknown
	Receiver int     `json:"receiver"` // state of a pending receive; -1 none
}

// begun is a kind of collective that was begun.
type begun struct {
	State int     `json:"state"`
	Comm  commRef `json:"comm"`
	Root  int     `json:"root"`
	Op    string  `json:"op"`
	Bytes int64   `json:"bytes"` // -1: members may differ
	Count int     `json:"count"` // among the latest
	All   bool    `json:"all"`   // nothing of the communicator's history is missing
}

type failed struct {
	State int    `json:"state"`
	Class int    `json:"class"`
	Text  string `json:"text"`
	Count uint64 `json:"count"`
}

type sent struct {
	State int    `json:"state"`
	Calls uint64 `json:"calls"`
	Bytes uint64 `json:"bytes"`
}

// profiler makes the profile of one rank.
type profiler struct {
	rank    *model.Rank
	number  func(*model.State) int // in the table of the run
	profile *profile
}

// newProfile summarises a rank; number gives the number of a state.
func newProfile(r *model.Rank, number func(*model.State) int) *profile {
	p := profiler{r, number, &profile{Size: r.Size, Stands: -1, Cut: r.Phase < model.Finalizing, Lossy: r.Evicted > 0}}
	for _, t := range r.Threads {
		p.addThread(t)
	}
	p.addChannels()
	for _, c := range r.Comms {
		p.addHistory(c)
	}
	for _, m := range r.Taken {
		if m.AnySource || m.AnyTag {
			p.profile.Open = append(p.profile.Open, p.stateOf(m.Thread, m.State))
		}
	}
	p.profile.normalise()
	return p.profile
}

func (p *profiler) stateOf(thread, state int) int {
	if thread < 0 || thread >= len(p.rank.Threads) || state < 0 {
		return -1
	}
	return p.number(p.rank.Threads[thread].Model.States[state])
}

func (p *profiler) addThread(t *model.Thread) {
	numbers := make([]int, len(t.Model.States))
	for i, s := range t.Model.States {
		numbers[i] = p.number(s)
		p.profile.Visits = append(p.profile.Visits, visit{numbers[i], t.Model.Visits[i]})
	}
	for _, e := range t.Model.Edges {
		p.profile.Passages = append(p.profile.Passages, passage{numbers[e.From], numbers[e.To], e.Count})
	}
	for _, f := range t.Failed {
		if f.Count == 0 { // MPI ended the job instead
			continue
		}
		says := p.rank.Family.DescribeError(f.Class, f.Text)
		p.profile.Failed = append(p.profile.Failed, failed{numbers[f.State], f.Class, says, f.Count})
	}
	for _, s := range t.Sent {
		p.profile.Sent = append(p.profile.Sent, sent{numbers[s.State], s.Calls, s.Bytes})
	}
	if t.Op.State >= 0 && p.profile.Stands < 0 {
		p.profile.Stands = numbers[t.Op.State]
	}
}

func (p *profiler) refTo(c *model.Comm) commRef { return commRef{c.Kind, p.stateOf(c.Thread, c.State)} }

// addChannels takes over the channels with ranks, and the calls that send on them or wait for a message.
func (p *profiler) addChannels() {
	type key struct{ comm, peer, tag int }
	senders, receivers := map[key]int{}, map[key]int{}
	for _, o := range p.rank.Origins {
		senders[key{o.Comm, o.Peer, o.Tag}] = p.stateOf(o.Thread, o.State)
	}
	for i, t := range p.rank.Threads {
		for _, w := range t.Op.Pending {
			if w.Kind == model.Recv && t.Op.InMPI {
				receivers[key{w.Comm, w.Peer, w.Tag}] = p.stateOf(i, w.State)
			}
		}
	}
	find := func(states map[key]int, k key) int {
		if s, known := states[k]; known {
			return s
		}
		return -1
	}
	for _, ch := range p.rank.Channels {
		c := p.rank.Comms[ch.Comm]
		n := c.Size
		if c.Kind == model.Inter {
			n = c.RemoteSize
		}
		if ch.Peer < 0 || ch.Tag < 0 || c.Rank < 0 || n == 0 {
			continue
		}
		k := key{ch.Comm, ch.Peer, ch.Tag}
		p.profile.Channels = append(p.profile.Channels, channel{
			Comm: p.refTo(c), Distance: ((ch.Peer-c.Rank)%n + n) % n, Group: n, Tag: ch.Tag, Sent: ch.Sent, Received: ch.Received,
			Sender: find(senders, k), Receiver: find(receivers, k),
		})
	}
}

// addHistory takes over what is known of the collectives on a communicator.
func (p *profiler) addHistory(c *model.Comm) {
	if c.History == nil {
		return
	}
	all := len(c.History.Latest) > 0 && c.History.Latest[0].Number == 1
	for _, b := range c.History.Latest {
		if at := p.stateOf(b.Thread, b.State); at >= 0 {
			p.profile.Begun = append(p.profile.Begun, begun{at, p.refTo(c), b.Root, b.Op, b.Bytes, 1, all})
		}
	}
}

// normalise joins what several threads or communicators have in common. Visits keep the order in which they came.
func (p *profile) normalise() {
	at := map[int]int{}
	joined := p.Visits[:0:0]
	for _, v := range p.Visits {
		if i, known := at[v.State]; known {
			joined[i].Count += v.Count
			continue
		}
		at[v.State] = len(joined)
		joined = append(joined, v)
	}
	p.Visits = joined
	p.Passages = reduce.SortJoined(p.Passages, comparePassages, func(a, b passage) passage {
		a.Count += b.Count
		return a
	})
	p.Channels = reduce.SortJoined(p.Channels, compareChannels, func(a, b channel) channel {
		a.Sent, a.Received = a.Sent+b.Sent, a.Received+b.Received
		return a
	})
	p.Begun = reduce.SortJoined(p.Begun, compareBegun, func(a, b begun) begun {
		a.Count, a.All = a.Count+b.Count, a.All && b.All
		return a
	})
	p.Failed = reduce.SortJoined(p.Failed, compareFailed, func(a, b failed) failed {
		a.Count += b.Count
		return a
	})
	p.Sent = reduce.SortJoined(p.Sent, func(a, b sent) int { return a.State - b.State }, func(a, b sent) sent {
		a.Calls, a.Bytes = a.Calls+b.Calls, a.Bytes+b.Bytes
		return a
	})
	slices.Sort(p.Open)
	p.Open = slices.Compact(p.Open)
}

func comparePassages(a, b passage) int { return cmp.Or(a.From-b.From, a.To-b.To) }

func compareComms(a, b commRef) int { return cmp.Or(int(a.Kind)-int(b.Kind), a.Made-b.Made) }

func compareChannels(a, b channel) int {
	return cmp.Or(compareComms(a.Comm, b.Comm), a.Distance-b.Distance, a.Group-b.Group, a.Tag-b.Tag, a.Sender-b.Sender,
		a.Receiver-b.Receiver)
}

func compareBegun(a, b begun) int {
	return cmp.Or(a.State-b.State, compareComms(a.Comm, b.Comm), a.Root-b.Root, cmp.Compare(a.Op, b.Op), cmp.Compare(a.Bytes, b.Bytes))
}

func compareFailed(a, b failed) int { return cmp.Or(a.State-b.State, a.Class-b.Class) }

// renumber gives the states other numbers.
func (p *profile) renumber(number func(int) int) {
	again := func(s *int) {
		if *s >= 0 {
			*s = number(*s)
		}
	}
	for i := range p.Visits {
		again(&p.Visits[i].State)
	}
	for i := range p.Passages {
		again(&p.Passages[i].From)
		again(&p.Passages[i].To)
	}
	for i := range p.Channels {
		c := &p.Channels[i]
		again(&c.Comm.Made)
		again(&c.Sender)
		again(&c.Receiver)
	}
	for i := range p.Begun {
		again(&p.Begun[i].State)
		again(&p.Begun[i].Comm.Made)
	}
	for i := range p.Failed {
		again(&p.Failed[i].State)
	}
	for i := range p.Sent {
		again(&p.Sent[i].State)
	}
	for i := range p.Open {
		again(&p.Open[i])
	}
	again(&p.Stands)
	p.normalise()
}

// dependsOnTiming reports whether what a call returns, or how often it is made, differs from run to run by itself.
func dependsOnTiming(call string) bool {
	f := mpi.FindFunction(call)
	return f != nil && (f.Class.IsPoll() || f.InClass(mpi.ClassWaitany, mpi.ClassWaitsome))
}
