package across

import "slices"

// clocks are vector clocks (Mattern 1989) of what happened: for the calls that
// matter, how far each rank is known to have come before. Only the ranks that are
// asked about have a component.
type clocks struct {
	rendezvous
	component map[int32]int // by digest
	asked     map[int32][]int32
}

// maxClockRanks bounds the components.
const maxClockRanks = 64

// clocks replays all ranks in the order of what happened, for the accesses of pairs.
func (j *job) clocks(pairs []pair) *clocks {
	c := &clocks{rendezvous: rendezvous{job: j, actual: true}, component: map[int32]int{}, asked: map[int32][]int32{}}
	c.lay()
	for _, p := range pairs {
		for _, t := range []*touch{p.a, p.b} {
			if _, ok := c.component[t.rank]; !ok && len(c.component) < maxClockRanks {
				c.component[t.rank] = len(c.component)
			}
			c.asked[c.base[t.rank]+t.step] = nil
		}
	}
	c.connect()
	c.replay()
	return c
}

// ordered tells whether an access was complete before another began, or whether
// that cannot be told.
func (c *clocks) ordered(a, b *touch) bool {
	k, known := c.component[a.rank]
	clock := c.asked[c.base[b.rank]+b.step]
	if !known || clock == nil {
		return true
	}
	return a.done >= 0 && clock[k] > a.done
}

// replay lets all threads go on, and merges the clock of what a step needed when it
// is left.
func (c *clocks) replay() {
	left := make([]int32, len(c.begun)) // links out of a node that are not yet used
	for i := range c.links {
		left[c.links[i].from]++
	}
	at := map[int32][]int32{} // clocks of nodes that others still need
	now := make([][]int32, len(c.threads))
	for i := range now {
		now[i] = make([]int32, len(c.component))
	}
	c.onBegin = func(node int32) {
		var clock []int32
		if int(node) < c.steps {
			clock = now[c.of[node]]
			if _, asked := c.asked[node]; asked {
				c.asked[node] = slices.Clone(clock)
			}
		} else {
			clock = make([]int32, len(c.component))
			c.merge(clock, node, at, left)
		}
		if left[node] > 0 {
			at[node] = slices.Clone(clock)
		}
	}
	c.onLeave = func(node int32) {
		clock := now[c.of[node]]
		c.merge(clock, node, at, left)
		if k, ok := c.component[c.rank[node]]; ok {
			clock[k] = max(clock[k], node-c.base[c.rank[node]]+1)
		}
	}
	for i := range c.threads {
		c.ready = append(c.ready, int32(i))
	}
	c.run()
}

// merge takes up the clocks of what a node needed.
func (c *clocks) merge(clock []int32, node int32, at map[int32][]int32, left []int32) {
	for l := c.in[node]; l >= 0; l = c.links[l].nextIn {
		from := c.links[l].from
		for k, v := range at[from] {
			clock[k] = max(clock[k], v)
		}
		if left[from]--; left[from] == 0 {
			delete(at, from)
		}
	}
}
