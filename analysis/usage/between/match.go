package between

import (
	"laggard/model"
	"laggard/model/mpi"
)

// way is a channel as all ranks see it: messages on it do not overtake each other
// (MPI-3.1 §3.5).
type way struct {
	comm     uint64
	from, to int // ranks in MPI_COMM_WORLD
	tag      int
	pair     int // see replay.Operation: partitioned messages have a way of their own for each pair of requests
}

// queue is what happened on a way, in the order of the ranks.
type queue struct {
	way          way
	sends, recvs []ref
	probes       []plainProbe
	unordered    bool // several threads of one side used it, so that the order is not known
}

// plainProbe is a probe that left the message where it was.
type plainProbe struct {
	probe ref
	seen  int // receives on the way before it
}

// serialized is the thread level at which threads call one after the other.
const serialized = 2

// matcher pairs the halves of messages.
type matcher struct {
	*job
	queues  []*queue
	queueOf map[way]int32
	open    []ref            // receives of which it is not known which message they took
	raced   map[ref]bool     // sends of which threads made the order uncertain
	asked   map[way]bool     // see namedTags
	to      map[int][]*queue // by receiver, those with messages left, in order of sender and tag
}

// matchMessages finds the other half of every message. A receive with wildcards takes
// what its status said. Those that never completed come last, and take a message
// only if it can be no other; so do those that were perhaps cancelled.
func (j *job) matchMessages() *matcher {
	m := &matcher{job: j, queueOf: map[way]int32{}, raced: map[ref]bool{}}
	for rank := range j.digests {
		m.enqueueRank(int32(rank))
	}
	for _, q := range m.queues {
		m.pairQueue(q)
	}
	for _, r := range m.open {
		m.matchOpenReceive(r)
	}
	return m
}

// enqueueRank puts the messages of a rank into their queues.
func (m *matcher) enqueueRank(rank int32) {
	d := m.digests[rank]
	queues := make([]int32, len(d.channels))
	for i := range d.channels {
		queues[i] = m.queueIndex(d, &d.channels[i])
	}
	threads := make(map[int32]int32) // by queue: the thread that used it
	for i := range d.messages {
		msg := &d.messages[i]
		at := ref{rank, int32(i)}
		q := queues[msg.channel]
		switch {
		case msg.cancelled || msg.withdrawn && msg.kind == aSend:
			continue
		case q < 0 || msg.withdrawn:
			if msg.kind == aRecv && d.comms[d.channels[msg.channel].comm].Members != nil {
				m.open = append(m.open, at)
			}
			continue
		}
		thread := d.step(msg.step).thread
		if was, ok := threads[q]; ok && was != thread && d.threads != serialized {
			m.queues[q].unordered = true
		}
		threads[q] = thread
		m.queues[q].addHalf(at, msg, d.step(msg.step).fn().Class)
	}
}

// addHalf puts a half into the queue. A matched probe takes its message at once,
// whenever it is received.
func (q *queue) addHalf(at ref, msg *message, class mpi.Class) {
	switch {
	case msg.kind == aSend:
		q.sends = append(q.sends, at)
	case msg.kind == aRecv && msg.probe < 0:
		q.recvs = append(q.recvs, at)
	case msg.kind == aRecv:
	case msg.probe >= 0:
		q.recvs = append(q.recvs, ref{at.rank, msg.probe})
	case msg.done >= 0 && (class == mpi.ClassMprobe || class == mpi.ClassImprobe):
		q.recvs = append(q.recvs, at)
	default:
		q.probes = append(q.probes, plainProbe{at, len(q.recvs)})
	}
}

// queueIndex returns the index of the queue of a channel, -1 if a side of it is not known.
func (m *matcher) queueIndex(d *Digest, c *channel) int32 {
	comm := d.comms[c.comm]
	peer := comm.WorldRank(c.peer)
	if peer < 0 || c.tag < 0 && !isSyncTag(c.tag) {
		return -1
	}
	w := way{comm.ID, d.Rank, peer, c.tag, c.pair}
	if !c.send {
		w.from, w.to = w.to, w.from
	}
	return numberOf(m.queueOf, w, func() { m.queues = append(m.queues, &queue{way: w}) })
}

// isSyncTag reports whether a tag is that of the synchronisation of a window.
func isSyncTag(tag int) bool { return tag == model.TagPost || tag == model.TagComplete }

func (m *matcher) pairQueue(q *queue) {
	n := min(len(q.sends), len(q.recvs))
	if q.unordered {
		for _, s := range q.sends {
			m.raced[s] = true
		}
	}
	for i := range n {
		m.pairHalves(q.sends[i], q.recvs[i])
	}
	for _, l := range q.probes {
		if l.seen < len(q.sends) {
			m.partners[l.probe.rank][l.probe.index] = q.sends[l.seen]
		}
	}
	q.sends, q.recvs, q.probes = append([]ref(nil), q.sends[n:]...), append([]ref(nil), q.recvs[n:]...), nil // lets go of the rest
}

func (m *matcher) pairHalves(send, recv ref) {
	m.partners[send.rank][send.index] = recv
	m.partners[recv.rank][recv.index] = send
}

// matchOpenReceive gives an open receive its message if only one is possible. If several
// are, it takes the first out of its queue but does not pair them.
func (m *matcher) matchOpenReceive(r ref) {
	candidates := m.candidates(r)
	if len(candidates) == 0 {
		return
	}
	q := candidates[0]
	if len(candidates) == 1 {
		m.pairHalves(q.sends[0], r)
	} else {
		m.partners[r.rank][r.index] = unclear
	}
	q.sends = q.sends[1:]
}

// candidates are the queues with messages left that an open receive may take, in
// order.
func (m *matcher) candidates(r ref) []*queue {
	d, msg := m.messageAt(r)
	c := &d.channels[msg.channel]
	comm := d.comms[c.comm]
	var out []*queue
	for _, q := range m.queuesTo(d.Rank) {
		if q.way.comm == comm.ID && q.way.pair == c.pair && len(q.sends) > 0 && (c.tag < 0 || c.tag == q.way.tag) &&
			(c.peer < 0 || comm.WorldRank(c.peer) == q.way.from) {
			out = append(out, q)
		}
	}
	return out
}

// queuesTo returns the queues with messages left for a rank. It is asked only when
// all is paired that is clear.
func (m *matcher) queuesTo(rank int) []*queue {
	if m.to == nil {
		m.to = map[int][]*queue{}
		for _, q := range m.sortedQueues() {
			if len(q.sends) > 0 {
				m.to[q.way.to] = append(m.to[q.way.to], q)
			}
		}
	}
	return m.to[rank]
}

// messageAt returns a message, and the rank that has it.
func (j *job) messageAt(r ref) (*Digest, *message) {
	d := j.digests[r.rank]
	return d, &d.messages[r.index]
}
