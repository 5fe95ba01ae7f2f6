package between

import (
	"cmp"
	"fmt"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/typemap"
	"laggard/model"
)

// carried is a pair of signatures that has been compared.
type carried struct{ send, recv typemap.Signature }

// checkTypes compares what each message carried with the buffer that it was
// received into (MPI-3.1 §3.3.1, §3.2.4).
func (m *matcher) checkTypes() {
	seen := map[carried]typemap.Fit{}
	for rank, d := range m.digests {
		for i := range d.messages {
			to := m.partners[rank][i]
			if d.messages[i].kind == aSend && to.rank >= 0 {
				m.checkType(ref{int32(rank), int32(i)}, to, seen)
			}
		}
	}
}

func (m *matcher) checkType(from, to ref, seen map[carried]typemap.Fit) {
	sd, s := m.message(from)
	rd, r := m.message(to)
	if s.buffer < 0 || r.buffer < 0 || r.kind != aRecv || !sd.complete || !rd.complete || m.raced[from] {
		return
	}
	sent, taken := m.layouts[from.rank][s.buffer], m.layouts[to.rank][r.buffer]
	key := carried{sent.Signature(), taken.Signature()}
	v, ok := seen[key]
	if !ok {
		v = sent.Into(taken)
		seen[key] = v
	}
	if v == typemap.Fits || r.done >= 0 && r.bytes >= 0 && r.bytes != sent.Bytes && sent.Bytes <= taken.Bytes {
		return // else the status shows that another message came: threads raced for it
	}
	places := []finding.Place{m.place(to.rank, r.made, "receive"), m.place(from.rank, s.made, "send")}
	if v == typemap.TooLong {
		m.found.Add(finding.New("truncation", fmt.Sprintf("rank %d sends %s to rank %d, whose receive has room for %s",
			sd.Rank, sent.Amount(), rd.Rank, taken.Amount()), places...))
		return
	}
	at, _ := sent.FirstDifference(taken)
	m.found.Add(finding.New("type_mismatch", fmt.Sprintf(
		"element %d of the message of rank %d to rank %d is sent as %s and received as %s",
		at, sd.Rank, rd.Rank, sent.DescribeElement(at), taken.DescribeElement(at)), places...))
}

// checkLeft reports the halves that have no other half: those of ranks that have
// finished, and those that are stuck because of it.
//
// It returns the halves that another message nearly fits.
func (m *matcher) checkLeft(stuck map[ref]bool) map[ref]bool {
	used := map[ref]bool{}
	for rank, d := range m.digests {
		for i := range d.messages {
			r := ref{int32(rank), int32(i)}
			msg := &d.messages[i]
			if m.partners[rank][i] != none || msg.kind != aRecv || msg.done >= 0 ||
				msg.cancelled || msg.withdrawn || signal(d.channels[msg.channel].tag) {
				continue
			}
			over := m.over(r)
			if !over && !stuck[r] {
				continue
			}
			if near := m.near(r, used, over); near != none && (stuck[r] || m.over(near)) {
				used[near], used[r] = true, true
				m.addNear(r, near)
			} else if over {
				m.addReceive(r)
			}
		}
	}
	for _, q := range m.sorted() {
		for _, s := range q.sends {
			if !signal(q.way.tag) && !used[s] && m.over(s) {
				m.addSend(s, "")
			}
		}
	}
	m.checkTaken()
	return used
}

// checkTaken reports messages that a matched probe took and nobody received.
func (m *matcher) checkTaken() {
	for rank, d := range m.digests {
		for i := range d.messages {
			from := m.partners[rank][i]
			if d.messages[i].kind != aSend || from.rank < 0 {
				continue
			}
			if _, other := m.message(from); other.kind == aProbe && m.over(ref{int32(rank), int32(i)}) {
				m.addSend(ref{int32(rank), int32(i)}, "taken by a matched probe and ")
			}
		}
	}
}

// over tells whether all ranks that can take part in a message are recorded and
// have called MPI_Finalize, so that it remains unmatched.
func (m *matcher) over(r ref) bool {
	d, msg := m.message(r)
	c := &d.channels[msg.channel]
	comm := d.comms[c.comm]
	peers := comm.Peers()
	if c.peer >= 0 {
		peers = []int{comm.WorldRank(c.peer)}
	}
	for _, p := range append([]int{d.Rank}, peers...) {
		if at, ok := m.byRank[p]; !ok || !m.digests[at].complete || !m.digests[at].finished {
			return false
		}
	}
	return len(peers) > 0
}

// near returns the message left over that comes nearest to a receive: from its
// source with another tag, or on another communicator; or from another source, if
// nobody will receive that. over: no rank will call anything more.
func (m *matcher) near(r ref, used map[ref]bool, over bool) ref {
	d, _ := m.message(r)
	best, least := none, 2*strangest
	for _, q := range m.toward(d.Rank) {
		i := slices.IndexFunc(q.sends, func(s ref) bool { return !used[s] })
		if i < 0 || signal(q.way.tag) {
			continue
		}
		far, elsewhere := m.far(r, q.way)
		odd := m.strange(r, q.sends[i])
		if !over && (elsewhere || odd == strangest-1) {
			continue // it may only wait until its receiver comes to it
		}
		if cost := far*strangest + odd; cost < least {
			best, least = q.sends[i], cost
		}
	}
	return best
}

// far counts what a message on the way would need to be otherwise for the receive;
// elsewhere: it comes from another source than the receive names.
func (m *matcher) far(r ref, q way) (n int, elsewhere bool) {
	d, msg := m.message(r)
	c := &d.channels[msg.channel]
	comm := d.comms[c.comm]
	if q.comm != comm.ID {
		n++
	}
	if c.tag >= 0 && c.tag != q.tag {
		n++
	}
	if elsewhere = c.peer >= 0 && comm.WorldRank(c.peer) != q.from; elsewhere {
		n++
	}
	return n, elsewhere
}

// strangest bounds what strange returns.
const strangest = 4

// strange weighs what speaks against that a message was meant for a receive: its type,
// and that other receives ask for its tag.
func (m *matcher) strange(r, s ref) (n int) {
	rd, recv := m.message(r)
	sd, send := m.message(s)
	if recv.buffer >= 0 && send.buffer >= 0 && rd.complete && sd.complete &&
		m.layouts[s.rank][send.buffer].Into(m.layouts[r.rank][recv.buffer]) != typemap.Fits {
		n += 2
	}
	c := &sd.channels[send.channel]
	if m.asks()[way{comm: sd.comms[c.comm].ID, tag: c.tag}] {
		n++
	}
	return n
}

// asks are the communicators and tags that any receive or probe names.
func (m *matcher) asks() map[way]bool {
	if m.asked != nil {
		return m.asked
	}
	m.asked = map[way]bool{}
	for _, d := range m.digests {
		for i := range d.messages {
			c := &d.channels[d.messages[i].channel]
			if d.messages[i].kind != aSend && c.askedTag != model.Any && c.comm >= 0 {
				m.asked[way{comm: d.comms[c.comm].ID, tag: c.askedTag}] = true
			}
		}
	}
	return m.asked
}

// addNear reports a receive and the message that it does not fit.
func (m *matcher) addNear(r, near ref) {
	rd, recv := m.message(r)
	sd, send := m.message(near)
	rc, sc := &rd.channels[recv.channel], &sd.channels[send.channel]
	want, have := rd.comms[rc.comm], sd.comms[sc.comm]
	wants := fmt.Sprintf("rank %d waits for %s", rd.Rank, describe(rd, recv))
	change := "use the same tag on both sides"
	var has string
	switch {
	case want.ID != have.ID:
		has = fmt.Sprintf("rank %d sent it on %s", sd.Rank, commName(have))
		change = "use the same communicator on both sides"
	case rc.askedTag >= 0 && rc.askedTag != sc.tag:
		has = fmt.Sprintf("rank %d sent tag %d", sd.Rank, sc.tag)
	default:
		has = fmt.Sprintf("rank %d sent it", sd.Rank)
		change = "name the rank that sends as the source"
	}
	if want.ID != have.ID {
		wants += " on " + commName(want)
	}
	f := finding.New("unmatched_message", wants+"; "+has,
		m.place(r.rank, recv.made, "receive"), m.place(near.rank, send.made, "send"))
	f.Change, f.Standard = change, "MPI-3.1 §3.2.4"
	m.found.Add(f)
}

func (m *matcher) addReceive(r ref) {
	d, msg := m.message(r)
	f := finding.New("unmatched_message",
		fmt.Sprintf("rank %d waits for %s, which was never sent", d.Rank, describe(d, msg)),
		m.place(r.rank, msg.made, "receive"))
	f.Ranks.Add(peerOf(d, msg))
	f.Change = "send the message, or cancel the receive with MPI_Cancel and complete it before MPI_Finalize"
	m.found.Add(f)
}

func (m *matcher) addSend(s ref, taken string) {
	d, msg := m.message(s)
	places := []finding.Place{m.place(s.rank, msg.made, "send")}
	if taken != "" {
		other := m.partners[s.rank][s.index]
		_, probe := m.message(other)
		places = append(places, m.place(other.rank, probe.step, "probe"))
	}
	f := finding.New("unmatched_message", fmt.Sprintf("%s was %snever received", describe(d, msg), taken), places...)
	f.Ranks.Add(peerOf(d, msg))
	f.Change = "receive the message before MPI_Finalize, or do not send it"
	m.found.Add(f)
}

// peerOf returns the other side of a message, -1 if that is not known.
func peerOf(d *Digest, msg *message) int {
	c := &d.channels[msg.channel]
	return d.comms[c.comm].WorldRank(c.peer)
}

// describe says which message a half is of.
func describe(d *Digest, msg *message) string {
	c := &d.channels[msg.channel]
	comm := d.comms[c.comm]
	switch c.tag {
	case model.TagPost:
		return fmt.Sprintf("MPI_Win_post of rank %d", comm.WorldRank(c.peer))
	case model.TagComplete:
		return fmt.Sprintf("MPI_Win_complete of rank %d", comm.WorldRank(c.peer))
	}
	tag := fmt.Sprintf("tag %d", c.askedTag)
	if c.askedTag == model.Any {
		tag = "any tag"
	}
	if msg.kind == aSend {
		return fmt.Sprintf("the message of rank %d to rank %d with %s", d.Rank, comm.WorldRank(c.peer), tag)
	}
	from := "any rank"
	if c.askedPeer >= 0 {
		from = fmt.Sprintf("rank %d", comm.WorldRank(c.askedPeer))
	}
	return fmt.Sprintf("a message of %s with %s", from, tag)
}

// sorted returns the queues in an order that does not depend on how they were found.
func (m *matcher) sorted() []*queue {
	out := slices.Clone(m.queues)
	slices.SortFunc(out, func(a, b *queue) int {
		return cmp.Or(cmp.Compare(a.way.from, b.way.from), cmp.Compare(a.way.to, b.way.to),
			cmp.Compare(a.way.tag, b.way.tag), cmp.Compare(a.way.comm, b.way.comm))
	})
	return out
}
