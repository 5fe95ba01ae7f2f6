package between

import "slices"

// clocks are vector clocks (Mattern 1989) of what happened: for the calls that
// matter, how far each rank is known to have come before. Only the ranks that are
// asked about have a component.
type clocks struct {
	rendezvous
	component map[int32]int // by digest
	asked     map[int32][]int32
}

// maxClockRanks bounds the components: more ranks take more replays.
const maxClockRanks = 64

// stepPair are two steps of two ranks, of which the order is asked.
type stepPair struct{ first, second ref } // index: into Digest.steps

// withClocks calls use for every pair, with clocks that know its ranks.
func (j *job) withClocks(pairs []stepPair, use func(i int, c *clocks)) {
	for at := 0; at < len(pairs) && !j.stop(); {
		c := &clocks{rendezvous: rendezvous{job: j, actual: true}, component: map[int32]int{},
			asked: map[int32][]int32{}}
		c.assignNodes()
		end := at
		for ; end < len(pairs) && c.addPair(pairs[end]); end++ {
		}
		c.linkOperations()
		c.replaySteps()
		for ; at < end; at++ {
			use(at, c)
		}
	}
}

// addPair prepares for a pair; it returns false if there are too many ranks.
func (c *clocks) addPair(p stepPair) bool {
	if len(c.component)+2 > maxClockRanks {
		return false
	}
	for _, m := range []ref{p.first, p.second} {
		if _, ok := c.component[m.rank]; !ok {
			c.component[m.rank] = len(c.component)
		}
		c.asked[c.base[m.rank]+m.index] = nil
	}
	return true
}

// happenedBefore reports whether the first step was over before the second began. Known is
// false if the replay did not come so far.
func (c *clocks) happenedBefore(first, second ref) (before, known bool) {
	clock := c.asked[c.base[second.rank]+second.index]
	if clock == nil {
		return false, false
	}
	return clock[c.component[first.rank]] > first.index, true
}

// replaySteps lets all threads go on, and merges the clock of what a step needed when it
// is left.
func (c *clocks) replaySteps() {
	left := make([]int32, len(c.begun)) // links out of a node that are not yet used
	for i := range c.links {
		left[c.links[i].from]++
	}
	at := map[int32][]int32{} // clocks of nodes that others still need
	now := make([][]int32, len(c.threads))
	for i := range now {
		now[i] = make([]int32, len(c.component))
	}
	order := c.orderThreads()
	if order != nil {
		c.mayBegin = func(node int32) bool { return order.mayBegin(node, c.threadOf(node)) }
	}
	c.onBegin = func(node int32) {
		var clock []int32
		if int(node) < c.steps {
			clock = now[c.threadOf(node)]
			if order != nil {
				order.begin(node, clock)
			}
			if _, asked := c.asked[node]; asked {
				c.asked[node] = slices.Clone(clock)
			}
		} else {
			clock = make([]int32, len(c.component))
			c.mergePredecessors(clock, node, at, left)
		}
		if left[node] > 0 {
			at[node] = slices.Clone(clock)
		}
	}
	c.onLeave = func(node int32) {
		clock := now[c.threadOf(node)]
		c.mergePredecessors(clock, node, at, left)
		rank := c.rankOf(node)
		if k, ok := c.component[rank]; ok {
			clock[k] = max(clock[k], node-c.base[rank]+1)
		}
		if order != nil {
			c.ready = append(c.ready, order.leave(node, clock)...)
		}
	}
	for i := range c.threads {
		c.ready = append(c.ready, int32(i))
	}
	c.run()
}

// mergePredecessors takes up the clocks of what a node needed.
func (c *clocks) mergePredecessors(clock []int32, node int32, at map[int32][]int32, left []int32) {
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
