package between

import (
	"fmt"
	"slices"

	"laggard/analysis/waitfor"
	"laggard/model"
	"laggard/model/mpi"
)

// need is something that a call waits for and that is not there yet: the call of
// one of ranks, or of all of them.
type need struct {
	ranks   []int // in MPI_COMM_WORLD
	any     bool
	message ref    // the half that waits, none if it is no message
	event   *event // the collective, nil if it is none
	node    int    // in the graph
	what    string // for a reader: "a message of rank 3 with tag 5"
}

// blocked is a call that never returned.
type blocked struct {
	step  int32
	any   bool // one of needs is enough
	needs []need
	polls []*blocked // it is a loop of polls, of which any ends it; needs are those of all
	open  bool       // what it waits for is there, or not known: it may return
}

// standing is what a rank was at when its recording ended.
type standing struct {
	calls []*blocked
	ended bool // it will call nothing more
}

// polls reports whether the rank was in a loop of polls.
func (s standing) polls() bool {
	return slices.ContainsFunc(s.calls, func(b *blocked) bool { return len(b.polls) > 0 })
}

// waits finds the ranks that can never go on: those blocked in calls for which all
// that could satisfy them is stuck too, or has ended.
type waits struct {
	*job
	standings []standing
	graph     *waitfor.Graph    // the node of a rank is its position in digests
	free      int               // the node of what may move
	never     []int             // nodes that are never released
	stuckNode []bool            // by node: is it one of them
	held      map[lockKey][]int // open locks: the ranks that have them
	absent    map[absentKey]*need
	nearMiss  map[ref]bool // halves that another message nearly fits
	pollsEnd  bool         // loops of polls are taken to end
}

// absentKey is a collective and what a member calls there.
type absentKey struct {
	event *event
	name  string
}

// buildWaitGraph finds them; with pollsEnd those that cannot go on though loops of polls end, as where ranks do something else
// between their polls.
func (j *job) buildWaitGraph(pollsEnd bool) *waits {
	w := &waits{job: j, pollsEnd: pollsEnd, graph: waitfor.New(len(j.digests)), held: map[lockKey][]int{}, absent: map[absentKey]*need{}}
	for _, d := range j.digests {
		w.graph.Rank(d.Rank, waitfor.Any)
		for _, l := range d.windows.held {
			key := lockKey{d.comms[l.comm].ID, l.target}
			w.held[key] = append(w.held[key], d.Rank)
		}
	}
	w.free = w.graph.Operation(waitfor.All)
	for rank, d := range j.digests {
		w.standings = append(w.standings, w.standingOf(int32(rank), d))
	}
	w.never = w.graph.Stuck(w.graph.Nodes())
	w.stuckNode = make([]bool, len(w.graph.Nodes()))
	for _, node := range w.never {
		w.stuckNode[node] = true
	}
	return w
}

func (w *waits) standingOf(rank int32, d *Digest) standing {
	s := standing{calls: w.blockedCalls(rank, d)}
	if len(s.calls) == 1 && len(s.calls[0].needs) == 0 && d.step(s.calls[0].step).fn().Class == mpi.ClassFinalize {
		return standing{ended: true} // whatever MPI does there, the program has ended
	}
	s.ended = len(s.calls) == 0 && (d.phase == model.Finalized || d.end == model.Exited)
	switch {
	case s.ended:
	case len(s.calls) == 0, d.end == model.Aborted, w.otherThreads(d, s.calls):
		w.graph.Need(int(rank), w.free)
	default:
		for _, c := range s.calls {
			w.graph.Need(int(rank), w.nodeOf(c))
		}
	}
	return s
}

// otherThreads reports whether a thread that is not blocked may still call MPI.
func (w *waits) otherThreads(d *Digest, calls []*blocked) bool {
	if d.threads >= 0 && d.threads < serialized {
		return false
	}
	in := map[int32]bool{}
	for _, c := range calls {
		in[d.step(c.step).thread] = true
	}
	for i := range d.steps {
		if !in[d.step(int32(i)).thread] {
			return true
		}
	}
	return false
}

// blockedCalls lists the calls of a rank that did not return, with what they need.
func (w *waits) blockedCalls(rank int32, d *Digest) []*blocked {
	calls := map[int32]*blocked{}
	var order []int32
	call := func(step int32) *blocked {
		if calls[step] == nil {
			calls[step] = &blocked{step: step}
			order = append(order, step)
		}
		return calls[step]
	}
	for i := range d.messages {
		if m := &d.messages[i]; m.done < 0 && m.blocking && !d.step(m.step).returned {
			w.needMessage(call(m.step), ref{rank, int32(i)})
		}
	}
	for i := range d.entries {
		if e := &d.entries[i]; e.done < 0 && !d.step(e.step).returned {
			w.needEntry(call(e.step), ref{rank, int32(i)})
		}
	}
	for i := range d.waits {
		w.needWait(call(d.waits[i].step), rank, &d.waits[i])
	}
	for _, l := range d.windows.waits {
		w.needLock(call(l.step), d, l)
	}
	for i := range d.steps {
		if !d.step(int32(i)).returned {
			call(int32(i)) // of an unknown kind, if it has no needs now
		}
	}
	out := make([]*blocked, 0, len(order))
	slices.Sort(order)
	for _, step := range order {
		c := calls[step]
		c.open = c.open || len(c.needs) == 0
		out = append(out, c)
	}
	return out
}

// markMet notes that one of the needs is met; for a call that needs one of many, that
// is enough.
func (b *blocked) markMet() { b.open = b.open || b.any }

// nodeOf adds the node of a call.
func (w *waits) nodeOf(b *blocked) int {
	if b.open || w.pollsEnd && len(b.polls) > 0 {
		return w.free
	}
	var nodes []int
	if len(b.polls) == 0 {
		for _, n := range b.needs {
			nodes = append(nodes, n.node)
		}
	}
	for _, p := range b.polls {
		nodes = append(nodes, w.nodeOf(p))
	}
	return w.graph.Operation(waitfor.Kind(b.any), nodes...)
}

// addNeedNode gives a need its node. A rank without a recording may still move: nothing
// is known of it.
func (w *waits) addNeedNode(n need) *need {
	nodes := make([]int, len(n.ranks))
	for i, r := range n.ranks {
		nodes[i] = w.free
		if node, known := w.graph.Node(r); known {
			nodes[i] = node
		}
	}
	n.node = w.graph.Operation(waitfor.Kind(n.any), nodes...)
	return &n
}

func (w *waits) needMessage(b *blocked, r ref) {
	d, m := w.messageAt(r)
	if m.cancelled || m.withdrawn || m.kind == aSend && m.mode == isBuffered || w.partnerBegun(r) {
		b.markMet()
		return
	}
	n := need{message: r, any: true, what: describeAwaited(d, m)}
	c := &d.channels[m.channel]
	comm := d.comms[c.comm]
	if c.peer >= 0 {
		n.ranks = []int{comm.WorldRank(c.peer)}
	} else {
		n.ranks = possibleSources(comm, d.Rank)
	}
	if len(n.ranks) == 0 || !d.complete || !w.allRecorded(n.ranks) {
		b.open = true
		return
	}
	b.needs = append(b.needs, *w.addNeedNode(n))
}

// partnerBegun reports whether the other half of a message has begun. A matched probe takes a
// message, but a send needs its receive (MPI-3.1 §3.4).
func (w *waits) partnerBegun(r ref) bool {
	other := w.partners[r.rank][r.index]
	if other == none || other.rank < 0 {
		return other != none
	}
	_, o := w.messageAt(other)
	_, own := w.messageAt(r)
	return own.kind != aSend || o.kind != aProbe
}

// possibleSources are the ranks that a receive from any source may hear from.
func possibleSources(comm *model.Comm, own int) []int {
	group := comm.PeerGroup()
	out := slices.DeleteFunc(slices.Clone(group), func(r int) bool { return r == own })
	if len(out) == 0 {
		return slices.Clone(group)
	}
	return out
}

func (w *waits) needEntry(b *blocked, r ref) {
	at := w.eventOf[r.rank][r.index]
	if at < 0 {
		b.open = true
		return
	}
	d, entry := w.entryAt(r)
	switch n := w.absentNeed(w.events[at], d.shapes[entry.shape].name); {
	case n == nil:
		b.open = true
	case len(n.ranks) == 0:
		b.markMet()
	default:
		b.needs = append(b.needs, *n)
	}
}

// absentNeed is the need of those who come to a collective with a call: the members that
// did not come, or came with another call. It is nil if not all is recorded that the
// members did, so that the numbers of collectives say nothing.
func (w *waits) absentNeed(e *event, name string) *need {
	key := absentKey{e, name}
	n, known := w.absent[key]
	if known {
		return n
	}
	if w.allRecorded(e.comm.allMembers()) {
		ranks := w.missingMembers(e)
		for _, p := range e.parts {
			if d, entry := w.entryAt(p); d.shapes[entry.shape].name != name {
				ranks = append(ranks, d.Rank)
			}
		}
		slices.Sort(ranks)
		n = w.addNeedNode(need{ranks: ranks, message: none, event: e,
			what: fmt.Sprintf("%s of %s on %s", name, model.NewRankSet(ranks...).Phrase(), e.comm.name())})
	}
	w.absent[key] = n
	return n
}

// describeAwaited says what would let a half of a message go on.
func describeAwaited(d *Digest, m *message) string {
	if m.kind != aSend {
		return describe(d, m)
	}
	c := &d.channels[m.channel]
	return fmt.Sprintf("rank %d to receive its message with tag %d", d.comms[c.comm].WorldRank(c.peer), c.tag)
}

// needWait adds what a completion waits for.
func (w *waits) needWait(b *blocked, rank int32, p *waiting) {
	if p.loop {
		w.needPoll(b, rank, p)
	} else {
		w.needRequests(b, rank, p)
	}
}

// needPoll adds one poll of a loop. It ends the loop when all is there that it needs:
// one of several requests does not end a loop of MPI_Testall.
func (w *waits) needPoll(b *blocked, rank int32, p *waiting) {
	poll := &blocked{step: p.step}
	w.needRequests(poll, rank, p)
	b.any = p.any || len(b.polls) > 0
	b.open = b.open || poll.open || len(poll.needs) == 0
	b.polls, b.needs = append(b.polls, poll), append(b.needs, poll.needs...)
}

// needRequests adds what the requests of a completion, or a probe, wait for.
func (w *waits) needRequests(b *blocked, rank int32, p *waiting) {
	b.any = p.any
	if p.other {
		b.markMet()
		b.open = b.open || !p.any && len(p.messages)+len(p.entries) == 0
	}
	for _, i := range p.messages {
		w.needMessage(b, ref{rank, i})
	}
	for _, i := range p.entries {
		w.needEntry(b, ref{rank, i})
	}
}

// needLock adds the ranks that hold the lock that a call waits for.
func (w *waits) needLock(b *blocked, d *Digest, l lock) {
	var holders []int
	for _, r := range w.held[lockKey{d.comms[l.comm].ID, l.target}] {
		if r != d.Rank {
			holders = append(holders, r)
		}
	}
	if len(holders) == 0 {
		b.open = true
		return
	}
	b.needs = append(b.needs, *w.addNeedNode(need{ranks: holders, any: true, message: none,
		what: fmt.Sprintf("the lock of rank %d of %s, which %s has", l.target, commName(d.comms[l.comm]),
			model.NewRankSet(holders...).Phrase())}))
}

// canBeMet reports whether a need may still be met.
func (w *waits) canBeMet(n need) bool { return !w.stuckNode[n.node] }

// isStuck reports whether a rank can never go on.
func (w *waits) isStuck(at int32) bool { return w.stuckNode[at] && !w.standings[at].ended }

// unmetNeeds are the needs of a stuck rank that will never be met, in order.
func (w *waits) unmetNeeds(at int32) []need {
	var out []need
	for _, c := range w.standings[at].calls {
		for _, n := range c.needs {
			if !w.canBeMet(n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// unmetHalves are the halves of messages that stuck ranks wait for and never get.
func (w *waits) unmetHalves() map[ref]bool {
	out := map[ref]bool{}
	for at := range w.standings {
		if !w.isStuck(int32(at)) {
			continue
		}
		for _, n := range w.unmetNeeds(int32(at)) {
			if n.message != none {
				out[n.message] = true
			}
		}
	}
	return out
}

// unmetByPolls are those of unmetHalves that are met, perhaps, if loops of polls end.
func (w *waits) unmetByPolls() map[ref]bool {
	if !slices.ContainsFunc(w.standings, standing.polls) {
		return nil
	}
	out := w.unmetHalves()
	for r := range w.job.buildWaitGraph(true).unmetHalves() {
		delete(out, r)
	}
	return out
}
