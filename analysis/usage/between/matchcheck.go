package between

import (
	"cmp"
	"fmt"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/typemap"
	"laggard/model"
)

// signaturePair is a pair of signatures that has been compared.
type signaturePair struct{ send, recv typemap.Signature }

// checkTypes compares what each message carried with the buffer that it was
// received into (MPI-3.1 §3.3.1, §3.2.4).
func (m *matcher) checkTypes() {
	seen := map[signaturePair]typemap.Fit{}
	for rank, d := range m.digests {
		for i := range d.messages {
			to := m.partners[rank][i]
			if d.messages[i].kind == aSend && to.rank >= 0 {
				m.checkType(ref{int32(rank), int32(i)}, to, seen)
			}
		}
	}
}

func (m *matcher) checkType(from, to ref, seen map[signaturePair]typemap.Fit) {
	sd, s := m.messageAt(from)
	rd, r := m.messageAt(to)
	if s.buffer < 0 || r.buffer < 0 || r.kind != aRecv || !sd.complete || !rd.complete || m.raced[from] {
		return
	}
	sent, taken := m.layouts[from.rank][s.buffer], m.layouts[to.rank][r.buffer]
	key := signaturePair{sent.Signature(), taken.Signature()}
	v, ok := seen[key]
	if !ok {
		v = sent.FitInto(taken)
		seen[key] = v
	}
	if v == typemap.Fits || r.done >= 0 && r.bytes >= 0 && r.bytes != sent.Bytes && sent.Bytes <= taken.Bytes {
		return // else the status shows that another message came: threads raced for it
	}
	places := []finding.Place{m.placeOf(to.rank, r.made(), "receive"), m.placeOf(from.rank, s.made(), "send")}
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

// stopEvery is after how many messages it is looked whether time is over.
const stopEvery = 1 << 10

// checkUnmatched reports the halves that have no other half: those of ranks that have
// finished, and those that are stuck because of it.
//
// It returns the halves that another message nearly fits.
func (m *matcher) checkUnmatched(stuck, byPolls map[ref]bool) map[ref]bool {
	used := map[ref]bool{}
	for rank, d := range m.digests {
		for i := range d.messages {
			if i%stopEvery == 0 && m.stop() {
				return used
			}
			r := ref{int32(rank), int32(i)}
			msg := &d.messages[i]
			if m.partners[rank][i] != none || msg.kind != aRecv || msg.done >= 0 ||
				msg.cancelled || msg.withdrawn || isSyncTag(d.channels[msg.channel].tag) {
				continue
			}
			over := m.staysUnmatched(r)
			if !over && !stuck[r] {
				continue
			}
			if near := m.nearestMessage(r, used, over); near != none && (stuck[r] || m.staysUnmatched(near)) {
				used[near], used[r] = true, true
				m.addNearMiss(r, near, !over && byPolls[r])
			} else if over {
				m.addUnmatchedReceive(r)
			}
		}
	}
	for _, q := range m.sortedQueues() {
		for _, s := range q.sends {
			if !isSyncTag(q.way.tag) && !used[s] && m.staysUnmatched(s) {
				m.addUnmatchedSend(s, "")
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
			if _, other := m.messageAt(from); other.kind == aProbe && m.staysUnmatched(ref{int32(rank), int32(i)}) {
				m.addUnmatchedSend(ref{int32(rank), int32(i)}, "taken by a matched probe and ")
			}
		}
	}
}

// staysUnmatched reports whether all ranks that can take part in a message are recorded and
// have called MPI_Finalize, so that it remains unmatched.
func (m *matcher) staysUnmatched(r ref) bool {
	d, msg := m.messageAt(r)
	c := &d.channels[msg.channel]
	comm := d.comms[c.comm]
	peers := comm.PeerGroup()
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

// nearestMessage returns the message left over that comes nearest to a receive: from its
// source with another tag, or on another communicator; or from another source, if
// nobody will receive that. over: no rank will call anything more.
func (m *matcher) nearestMessage(r ref, used map[ref]bool, over bool) ref {
	d, _ := m.messageAt(r)
	best, least := none, 2*maxMismatchWeight
	for _, q := range m.queuesTo(d.Rank) {
		i := slices.IndexFunc(q.sends, func(s ref) bool { return !used[s] })
		if i < 0 || isSyncTag(q.way.tag) {
			continue
		}
		far, elsewhere := m.countMismatches(r, q.way)
		odd := m.mismatchWeight(r, q.sends[i])
		if !over && (elsewhere || odd == maxMismatchWeight-1) {
			continue // it may only wait until its receiver comes to it
		}
		if cost := far*maxMismatchWeight + odd; cost < least {
			best, least = q.sends[i], cost
		}
	}
	return best
}

// countMismatches counts what a message on the way would need to be otherwise for the receive;
// elsewhere: it comes from another source than the receive names.
func (m *matcher) countMismatches(r ref, q way) (n int, elsewhere bool) {
	d, msg := m.messageAt(r)
	c := &d.channels[msg.channel]
	comm := d.comms[c.comm]
	if q.comm != comm.ID {
		n++
	}
	if c.tag >= 0 && c.tag != q.tag {
		n++
	}
	if c.pair != q.pair {
		n++
	}
	if elsewhere = c.peer >= 0 && comm.WorldRank(c.peer) != q.from; elsewhere {
		n++
	}
	return n, elsewhere
}

// maxMismatchWeight bounds what strange returns.
const maxMismatchWeight = 4

// mismatchWeight weighs what speaks against that a message was meant for a receive: its type,
// and that other receives ask for its tag.
func (m *matcher) mismatchWeight(r, s ref) (n int) {
	rd, recv := m.messageAt(r)
	sd, send := m.messageAt(s)
	if recv.buffer >= 0 && send.buffer >= 0 && rd.complete && sd.complete &&
		m.layouts[s.rank][send.buffer].FitInto(m.layouts[r.rank][recv.buffer]) != typemap.Fits {
		n += 2
	}
	c := &sd.channels[send.channel]
	if m.namedTags()[way{comm: sd.comms[c.comm].ID, tag: c.tag}] {
		n++
	}
	return n
}

// namedTags are the communicators and tags that any receive or probe names.
func (m *matcher) namedTags() map[way]bool {
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

// addNearMiss reports a receive and the message that it does not fit.
func (m *matcher) addNearMiss(r, near ref, byPolls bool) {
	rd, recv := m.messageAt(r)
	sd, send := m.messageAt(near)
	rc, sc := &rd.channels[recv.channel], &sd.channels[send.channel]
	want, have := rd.comms[rc.comm], sd.comms[sc.comm]
	sent, awaited := fmt.Sprintf("a %s of rank %d with tag %d", sc.noun(), sd.Rank, sc.tag), describe(rd, recv)
	change, section := "use the same tag on both sides", "MPI-3.1 §3.2.4"
	switch sameTag := rc.askedTag < 0 || rc.askedTag == sc.tag; {
	case want.ID != have.ID:
		sent += " on " + commName(have)
		awaited += " on " + commName(want)
		change = "use the same communicator on both sides"
	case sameTag && rc.pair != sc.pair:
		change = "send and receive partitioned messages by requests that match: both partitioned, initialised in the same order"
		section = "MPI-4.0 §4.2"
	case sameTag:
		change = "name the rank that sends as the source"
	case rc.askedPeer >= 0 && want.WorldRank(rc.askedPeer) == sd.Rank:
		awaited = fmt.Sprintf("tag %d", rc.askedTag)
	}
	f := finding.New("unmatched_message", fmt.Sprintf("%s is unreceived at rank %d, which waits for %s", sent, rd.Rank, awaited),
		m.placeOf(r.rank, recv.made(), "receive"), m.placeOf(near.rank, send.made(), "send"))
	f.Change, f.Standard = change, section
	if byPolls {
		f.Severity = finding.Warning
		f.Message += "; this is wrong only if the ranks that poll do nothing else between their polls"
	}
	m.found.Add(f)
}

func (m *matcher) addUnmatchedReceive(r ref) {
	d, msg := m.messageAt(r)
	f := finding.New("unmatched_message",
		fmt.Sprintf("rank %d waits for %s, which was never sent", d.Rank, describe(d, msg)),
		m.placeOf(r.rank, msg.made(), "receive"))
	f.Ranks.Add(peerOf(d, msg))
	f.Change = "send the message, or cancel the receive with MPI_Cancel and complete it before MPI_Finalize"
	m.found.Add(f)
}

func (m *matcher) addUnmatchedSend(s ref, taken string) {
	d, msg := m.messageAt(s)
	places := []finding.Place{m.placeOf(s.rank, msg.made(), "send")}
	if taken != "" {
		other := m.partners[s.rank][s.index]
		_, probe := m.messageAt(other)
		places = append(places, m.placeOf(other.rank, probe.step, "probe"))
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
		return fmt.Sprintf("the %s of rank %d to rank %d with %s", c.noun(), d.Rank, comm.WorldRank(c.peer), tag)
	}
	from := "any rank"
	if c.askedPeer >= 0 {
		from = fmt.Sprintf("rank %d", comm.WorldRank(c.askedPeer))
	}
	return fmt.Sprintf("a %s of %s with %s", c.noun(), from, tag)
}

// noun returns what the channel carries.
func (c *channel) noun() string {
	if c.pair > 0 {
		return "partitioned message"
	}
	return "message"
}

// sortedQueues returns the queues in an order that does not depend on how they were found.
func (m *matcher) sortedQueues() []*queue {
	out := slices.Clone(m.queues)
	slices.SortFunc(out, func(a, b *queue) int {
		return cmp.Or(cmp.Compare(a.way.from, b.way.from), cmp.Compare(a.way.to, b.way.to),
			cmp.Compare(a.way.tag, b.way.tag), cmp.Compare(a.way.comm, b.way.comm), cmp.Compare(a.way.pair, b.way.pair))
	})
	return out
}
