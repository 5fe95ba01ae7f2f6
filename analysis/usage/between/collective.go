package between

import (
	"cmp"
	"slices"
)

// event is one collective on one communicator: the part of every member that
// came to it.
type event struct {
	comm   *communicator
	number uint64
	round  int // of a persistent one: which start; 0 the call that made it, and any other
	// parts are those of the members that came, in order of world rank.
	parts []ref // index: into Digest.entries
}

// arrival is a part and where it belongs.
type arrival struct {
	number uint64
	round  int
	part   ref
}

// groupCollectives puts the parts of all ranks together, for each communicator in order of
// number. A collective is told by its place in the order of calls on the
// communicator (§5.1, §5.12).
func (j *job) groupCollectives() {
	all := map[uint64][]arrival{}
	for rank, d := range j.digests {
		rounds := map[arrival]int{}
		for i := range d.entries {
			e := &d.entries[i]
			j.eventOf[rank][i] = -1
			id := d.comms[e.comm].ID
			if j.comms[id] == nil {
				continue
			}
			c := arrival{number: e.number, part: ref{int32(rank), int32(i)}}
			if e.made != e.step {
				key := arrival{number: e.number, part: ref{e.comm, 0}}
				rounds[key]++
				c.round = rounds[key]
			}
			all[id] = append(all[id], c)
		}
	}
	for _, id := range j.commOrder() {
		j.addEvents(j.comms[id], all[id])
	}
}

// addEvents makes the events of one communicator.
func (j *job) addEvents(c *communicator, parts []arrival) {
	slices.SortStableFunc(parts, func(a, b arrival) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.round, b.round))
	})
	var last *event
	for _, p := range parts {
		if last == nil || last.number != p.number || last.round != p.round {
			last = &event{comm: c, number: p.number, round: p.round, parts: make([]ref, 0, len(c.allMembers()))}
			j.events = append(j.events, last)
		}
		last.parts = append(last.parts, p.part)
		j.eventOf[p.part.rank][p.part.index] = int32(len(j.events) - 1)
	}
}

// commOrder returns the communicators in an order that all runs of an analysis agree
// on: that of the lowest rank that knows them.
func (j *job) commOrder() []uint64 {
	var out []uint64
	seen := map[uint64]bool{}
	for _, d := range j.digests {
		for _, c := range d.comms {
			if j.comms[c.ID] != nil && !seen[c.ID] {
				seen[c.ID] = true
				out = append(out, c.ID)
			}
		}
	}
	return out
}

// entryAt returns a part, and the rank that has it.
func (j *job) entryAt(r ref) (*Digest, *entry) {
	d := j.digests[r.rank]
	return d, &d.entries[r.index]
}

// refusedParts counts the members of which MPI refused the call.
func (j *job) refusedParts(e *event) (n int) {
	for _, p := range e.parts {
		if _, entry := j.entryAt(p); entry.refused {
			n++
		}
	}
	return n
}

// missingMembers returns the members that did not come, as world ranks.
func (j *job) missingMembers(e *event) []int {
	came := make(map[int]bool, len(e.parts))
	for _, p := range e.parts {
		came[j.digests[p.rank].Rank] = true
	}
	var out []int
	for _, m := range e.comm.allMembers() {
		if !came[m] {
			out = append(out, m)
		}
	}
	return out
}
