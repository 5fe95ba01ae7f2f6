package between

import (
	"sort"

	"laggard/model/mpi"
)

// rendezvous is a replay of all ranks in which nothing is buffered: a send returns,
// or the wait for it does, only when the receive that it met has begun, and a
// collective only when all members have come (§3.5, §5.14; Umpire §4.1). Which
// receive a send meets is what happened, so there is one order of events only, and
// the replay is linear in the calls.
//
// Nodes are the steps of all ranks, and behind them the collectives. A step begins
// when its thread comes to it, a collective when all its members have begun. A
// thread leaves a step when all has begun that the step needs.
type rendezvous struct {
	*job
	links   []link
	out, in []int32 // by node: its first link in either direction, -1 none
	needs   []int32 // by node: links to it that are still open
	begun   []bool
	base    []int32   // by digest: the node of its first step
	single  []int32   // by digest: its thread, if it has one
	several [][]int32 // by digest and step: its thread, if it has several
	threads []*thread
	ready   []int32 // threads that may go on
	steps   int     // nodes from here on are collectives
	actual  bool    // follow what happened: sends do not need their receives
	// seen are the sends that a probe which does not wait has found: without buffering it might have
	// found nothing, and the program would not have gone on to receive.
	seen map[ref]bool
	// mayBegin, if set, says whether a step can begin now; if it cannot, its thread is made ready later.
	mayBegin func(node int32) bool
	// onBegin and onLeave, if set, are told of each node.
	onBegin, onLeave func(node int32)
}

// link says that node to needs the begin of node from.
type link struct {
	from, to        int32
	nextOut, nextIn int32
	kind            linkKind
}

// linkKind says what a link is.
type linkKind uint8

const (
	arrives     linkKind = iota // a receive needs its message
	buffered                    // a send needs its receive, unless MPI buffers the message
	synchronous                 // a synchronous send does so always
	together                    // a collective needs its members
	dropped                     // not to be followed any more
)

// thread is the calls of one thread of a rank, as nodes: a row of them, or a list where the rank has several threads.
type thread struct {
	first, end int32
	nodes      []int32
	at         int32 // how many it has left
}

// now is the node that the thread is at; ok is false behind the last one.
func (t *thread) now() (node int32, ok bool) {
	if t.nodes == nil {
		return t.first + t.at, t.first+t.at < t.end
	}
	if int(t.at) == len(t.nodes) {
		return 0, false
	}
	return t.nodes[t.at], true
}

// rankOf returns the position of the digest that has a step.
func (r *rendezvous) rankOf(node int32) int32 {
	return int32(sort.Search(len(r.base), func(i int) bool { return r.base[i] > node })) - 1
}

// threadOf returns the thread of a step.
func (r *rendezvous) threadOf(node int32) int32 {
	rank := r.rankOf(node)
	if several := r.several[rank]; several != nil {
		return several[node-r.base[rank]]
	}
	return r.single[rank]
}

// checkRendezvous reports the cycles of calls that only buffering, or a collective
// that does not synchronise, kept from being deadlocks.
func (j *job) checkRendezvous() {
	r := &rendezvous{job: j}
	r.assignNodes()
	r.linkOperations()
	for i := range r.threads {
		r.ready = append(r.ready, int32(i))
	}
	for r.run(); !r.stop() && r.breakCycles(); r.run() {
	}
}

// assignNodes assigns each step its node and its thread.
func (r *rendezvous) assignNodes() {
	links := 0
	for _, d := range r.digests {
		first := int32(r.steps)
		r.base, r.single, r.several = append(r.base, first), append(r.single, int32(len(r.threads))), append(r.several, nil)
		r.steps += len(d.steps)
		if d.hasThreads() {
			r.assignThreads(d, first)
		} else {
			r.threads = append(r.threads, &thread{first: first, end: int32(r.steps)})
		}
		links += len(d.messages) + 2*len(d.entries)
	}
	nodes := r.steps + len(r.events)
	r.links = make([]link, 0, links)
	r.needs, r.begun = make([]int32, nodes), make([]bool, nodes)
	r.out, r.in = make([]int32, nodes), make([]int32, nodes)
	for i := range nodes {
		r.out[i], r.in[i] = -1, -1
	}
}

// assignThreads assigns the steps of a rank, of which that is the first node, to several threads.
func (r *rendezvous) assignThreads(d *Digest, first int32) {
	of, threads := map[int32]int32{}, make([]int32, len(d.steps))
	for i := range d.steps {
		t := numberOf(of, d.step(int32(i)).thread, func() {})
		if threads[i] = r.single[len(r.single)-1] + t; int(threads[i]) == len(r.threads) {
			r.threads = append(r.threads, &thread{})
		}
		r.threads[threads[i]].nodes = append(r.threads[threads[i]].nodes, first+int32(i))
	}
	r.several[len(r.several)-1] = threads
}

func (r *rendezvous) addLink(from, to int32, w linkKind) {
	at := int32(len(r.links))
	r.links = append(r.links, link{from, to, r.out[from], r.in[to], w})
	r.out[from], r.in[to] = at, at
	r.needs[to]++
}

// linkOperations makes the links of messages and collectives.
func (r *rendezvous) linkOperations() {
	whole := make([]bool, len(r.events))
	for i, e := range r.events {
		members := e.comm.allMembers()
		whole[i] = len(e.parts) == len(members) && r.allRecorded(members) && r.refusedParts(e) == 0
	}
	r.seen = r.probedSends()
	for rank, d := range r.digests {
		leaves := r.completionNodes(int32(rank), d)
		for i := range d.messages {
			r.linkMessage(ref{int32(rank), int32(i)}, leaves)
		}
		for i := range d.entries {
			e, at := &d.entries[i], r.eventOf[rank][i]
			if at < 0 || !whole[at] {
				continue // it went on without those of whom nothing is recorded, if it did
			}
			node := int32(r.steps) + at
			r.addLink(r.base[rank]+e.step, node, together)
			if e.done >= 0 && leaves[e.done] >= 0 {
				r.addLink(node, leaves[e.done], together)
			}
		}
	}
}

// envelope is what a probe or a receive asks for.
type envelope struct {
	thread, comm int32
	peer, tag    int
}

// probedSends lists what the probes that do not wait have found, and what the receives behind them took, which with
// wildcards may be another message.
func (r *rendezvous) probedSends() map[ref]bool {
	out := map[ref]bool{}
	for rank, d := range r.digests {
		found := map[envelope]bool{}
		for i := range d.messages {
			m, at := &d.messages[i], int32(i)
			step, c := d.step(m.step), d.channels[m.channel]
			what := envelope{step.thread, c.comm, c.askedPeer, c.askedTag}
			switch class := step.fn().Class; {
			case m.kind == aRecv && found[what]:
				delete(found, what)
			case m.kind == aProbe && m.done >= 0 && (class == mpi.ClassIprobe || class == mpi.ClassImprobe):
				if found[what] = true; m.probe >= 0 {
					at = m.probe
				}
			default:
				continue
			}
			if p := r.partners[rank][at]; p.rank >= 0 {
				out[p] = true
			}
		}
	}
	return out
}

// completionNodes gives for each step the node that cannot be left before what it completed
// is complete; -1: none. A test does not wait. A row of calls that each complete
// one of several may complete them in another order.
func (r *rendezvous) completionNodes(rank int32, d *Digest) []int32 {
	out := make([]int32, len(d.steps))
	last := map[int32]int32{} // by thread: the next step
	for i := int32(len(d.steps)) - 1; i >= 0; i-- {
		s := d.step(i)
		next, ok := last[s.thread]
		last[s.thread] = i
		out[i] = r.base[rank] + i
		if r.actual {
			continue
		}
		switch class := s.fn().Class; {
		case class.TestsRequests(), class == mpi.ClassIprobe, class == mpi.ClassImprobe, !s.returned:
			out[i] = -1
		case class == mpi.ClassWaitany, class == mpi.ClassWaitsome:
			if ok && d.step(next).function == s.function && d.step(next).site == s.site {
				out[i] = out[next]
			}
		}
	}
	return out
}

// linkMessage makes the links of a send, a receive or a probe to what its
// completion needs.
func (r *rendezvous) linkMessage(at ref, leaves []int32) {
	d, m := r.messageAt(at)
	if m.done < 0 || leaves[m.done] < 0 {
		return
	}
	other := r.partners[at.rank][at.index]
	if m.kind == aProbe && m.probe >= 0 {
		other = r.partners[at.rank][m.probe]
	}
	if other.rank < 0 {
		return
	}
	od, o := r.messageAt(other)
	if m.kind == aSend && o.kind == aProbe {
		return // nobody received what the probe took
	}
	if !d.complete || !od.complete {
		return // which message met which is not sure
	}
	from, to := r.base[other.rank]+o.step, leaves[m.done]
	switch {
	case m.kind != aSend && !r.actual && r.seen[other]:
	case m.kind != aSend:
		r.addLink(from, to, arrives)
	case r.actual:
	case m.mode == isSynchronous:
		r.addLink(from, to, synchronous)
	case m.mode == isReady: // its receive has begun, or else that is the error
	case m.mode != isBuffered && d.step(m.step).fn().Class != mpi.ClassIbsend:
		r.addLink(from, to, buffered)
	}
}

// run lets all threads go as far as they can.
func (r *rendezvous) run() {
	for len(r.ready) > 0 {
		t := r.threads[r.ready[len(r.ready)-1]]
		r.ready = r.ready[:len(r.ready)-1]
		for node, ok := t.now(); ok; node, ok = t.now() {
			if !r.begun[node] {
				if r.mayBegin != nil && !r.mayBegin(node) {
					break
				}
				r.beginNode(node)
			}
			if r.needs[node] > 0 {
				break
			}
			if r.onLeave != nil {
				r.onLeave(node)
			}
			t.at++
		}
	}
}

// beginNode closes the links that need the begin of a node.
func (r *rendezvous) beginNode(node int32) {
	r.begun[node] = true
	if r.onBegin != nil {
		r.onBegin(node)
	}
	for l := r.out[node]; l >= 0; l = r.links[l].nextOut {
		if r.links[l].kind != dropped {
			r.satisfyNeed(r.links[l].to)
		}
	}
}

// satisfyNeed takes away one need of a node.
func (r *rendezvous) satisfyNeed(node int32) {
	if r.needs[node]--; r.needs[node] > 0 {
		return
	}
	if int(node) >= r.steps {
		r.beginNode(node)
	} else if r.begun[node] {
		r.ready = append(r.ready, r.threadOf(node))
	}
}

// blockingNode returns what a node waits behind: a collective itself, of a step the one
// at which its thread stands; -1 if that does not wait.
func (r *rendezvous) blockingNode(node int32) int32 {
	if int(node) >= r.steps {
		return node
	}
	if at, ok := r.threads[r.threadOf(node)].now(); ok {
		return at
	}
	return -1
}
