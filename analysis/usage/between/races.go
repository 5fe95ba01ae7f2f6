package between

import (
	"fmt"
	"maps"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/model"
)

// mostRaces bounds the pairs of receives that are looked at for one pair of places
// of a rank.
const mostRaces = 8

// race is a receive from any rank that could have taken the message of a later
// receive, which names its source and gets no other.
type race struct{ wild, named ref }

// checkRaces reports receives from any rank that went well only because of the
// order in which messages came: if another sender's had come first, the receive
// that names that sender would wait forever (§3.5).
func (m *matcher) checkRaces() {
	var races []race
	var asked []stepPair
	for rank := range m.digests {
		for _, r := range m.racesOf(int32(rank)) {
			_, wild := m.messageAt(r.wild)
			sent := m.partners[r.named.rank][r.named.index]
			_, s := m.messageAt(sent)
			races = append(races, r)
			asked = append(asked, stepPair{ref{r.wild.rank, wild.done}, ref{sent.rank, s.step}})
		}
	}
	m.withClocks(asked, func(i int, c *clocks) {
		if before, known := c.happenedBefore(asked[i].first, asked[i].second); known && !before {
			m.addRace(races[i])
		}
	})
}

// racesOf finds the candidates at one receiver. Of a sender's messages with one
// tag, those count that come behind the last one that was taken from any rank: one
// of these lost to another receive is missing at the end.
func (m *matcher) racesOf(rank int32) []race {
	d := m.digests[rank]
	taken := map[int32][]int32{} // by queue: the messages that took one from it
	var wild []int32             // those that take what comes first
	isWild := make([]bool, len(d.messages))
	seenAt := map[ref]bool{} // sends that a probe of any rank found
	for i := range d.messages {
		msg := &d.messages[i]
		from := m.partners[rank][i]
		if msg.kind == aSend || msg.probe >= 0 && msg.kind == aRecv || from.rank < 0 {
			continue
		}
		c := &d.channels[msg.channel]
		if m.partners[from.rank][from.index] != (ref{rank, int32(i)}) {
			seenAt[from] = seenAt[from] || c.askedPeer == model.Any
			continue
		}
		if q := m.queueIndex(d, c); q >= 0 && !isSyncTag(c.tag) {
			taken[q] = append(taken[q], int32(i))
			if isWild[i] = c.askedPeer == model.Any || seenAt[from]; isWild[i] && msg.done >= 0 {
				wild = append(wild, int32(i))
			}
		}
	}
	if len(wild) == 0 || !d.complete {
		return nil
	}
	var out []race
	seen := map[[2]int32]int{}
	for _, q := range slices.Sorted(maps.Keys(taken)) {
		list, last := taken[q], -1
		for k, i := range list {
			if isWild[i] {
				last = k
			}
		}
		if last+1 == len(list) || len(m.queues[q].sends) > 0 || m.queues[q].unordered {
			continue
		}
		named := list[last+1]
		begin, _ := slices.BinarySearchFunc(wild, named, func(a, b int32) int { return int(a - b) })
		for k := begin - 1; k >= 0 && (last < 0 || wild[k] > list[last]); k-- {
			places := [2]int32{d.step(d.messages[wild[k]].step).site, d.step(d.messages[named].step).site}
			if seen[places] < mostRaces && m.couldTake(d, &d.messages[wild[k]], m.queues[q].way) &&
				!m.isHeldBack(ref{rank, wild[k]}, ref{rank, named}, m.queues[q].way, taken) {
				seen[places]++
				out = append(out, race{ref{rank, wild[k]}, ref{rank, named}})
			}
		}
	}
	return out
}

// couldTake reports whether a receive takes messages of a way, and took one of
// another sender.
func (m *matcher) couldTake(d *Digest, msg *message, w way) bool {
	c := &d.channels[msg.channel]
	comm := d.comms[c.comm]
	return comm.ID == w.comm && c.pair == w.pair && (c.askedTag == model.Any || c.askedTag == w.tag) && comm.WorldRank(c.peer) != w.from
}

// isHeldBack reports whether a message, which a receive took, cannot be the one that a receive from any rank takes first of its
// sender: one of another tag was sent before it and comes first, as messages do not overtake (§3.5).
func (m *matcher) isHeldBack(wild, named ref, w way, taken map[int32][]int32) bool {
	d, msg := m.messageAt(wild)
	if c := &d.channels[msg.channel]; c.askedTag != model.Any && c.askedPeer == model.Any {
		return false // what a probe found is received by its tag
	}
	sent := m.partners[named.rank][named.index]
	for q, list := range taken {
		other := m.queues[q].way
		if other.tag == w.tag || other.comm != w.comm || other.from != w.from || other.pair != w.pair {
			continue
		}
		later, _ := slices.BinarySearch(list, wild.index+1)
		if later < len(list) && !m.queues[q].unordered && m.partners[named.rank][list[later]].index < sent.index {
			return true
		}
	}
	return false
}

func (m *matcher) addRace(r race) {
	d, wild := m.messageAt(r.wild)
	_, named := m.messageAt(r.named)
	sent := m.partners[r.named.rank][r.named.index]
	sd, s := m.messageAt(sent)
	took := peerOf(d, wild)
	f := finding.New("potential_deadlock", fmt.Sprintf(
		"rank %d receives from any rank and got the message of rank %d; "+
			"had that of rank %d come first, the receive that names rank %d would wait forever",
		d.Rank, took, sd.Rank, sd.Rank),
		m.placeOf(r.wild.rank, wild.made(), "receive from any rank"), m.placeOf(r.named.rank, named.made(), "receive"),
		m.placeOf(sent.rank, s.made(), "send"))
	f.Ranks.Add(took)
	f.Change = "name the source of the first receive, or give the messages of the two receives different tags"
	m.found.Add(f)
}
