package between

import (
	"cmp"
	"math"
	"slices"

	"laggard/analysis/usage/recorded"
)

// returns follows, once several threads call, which calls had returned when another began.
type returns struct {
	thread int     // the first
	calls  []int32 // by call: how many had begun when it returned; notYet
	open   []unreturned
	last   unreturned // while only one thread calls
}

type unreturned struct {
	call  int
	place uint64 // of its return, 0: none
}

const notYet = math.MaxInt32

// begin follows a call that begins.
func (r *returns) begin(call int, c *recorded.Call) {
	one := unreturned{call, c.Return}
	switch {
	case call == 0:
		r.thread = c.Thread
	case r.calls == nil && c.Thread != r.thread:
		r.calls = make([]int32, call)
		for k := range r.calls {
			r.calls[k] = int32(k) + 1 // one behind the other
		}
		r.calls[r.last.call] = notYet
		r.open = append(r.open, r.last)
	}
	if r.last = one; r.calls == nil {
		return
	}
	r.open = slices.DeleteFunc(r.open, func(u unreturned) bool {
		over := u.place != 0 && u.place < c.Begin
		if over {
			r.calls[u.call] = int32(call)
		}
		return over
	})
	r.calls, r.open = append(r.calls, notYet), append(r.open, one)
}

// ofSteps says the same of steps, as Digest.ends has it.
func (r *returns) ofSteps(stepOf []int32, steps int) []int32 {
	if r.calls == nil {
		return nil
	}
	before := make([]int32, len(stepOf)+1) // by call: how many steps begin before it
	for i, step := range stepOf {
		if before[i+1] = before[i]; step >= 0 {
			before[i+1]++
		}
	}
	ends := make([]int32, 0, steps)
	for i, step := range stepOf {
		switch {
		case step < 0:
		case r.calls[i] == notYet:
			ends = append(ends, int32(steps))
		default:
			ends = append(ends, before[r.calls[i]])
		}
	}
	r.calls, r.open = nil, nil
	return ends
}

// threadOrder is the order between the threads of a rank: what one does may follow from what others had done by then, as they tell
// each other so by memory and locks, which is not recorded.
type threadOrder struct {
	of    []int32 // by node: where in steps its list begins, and ends with that of the next
	steps []int32 // nodes, the last of each other thread that had returned when this one began
	needs []int32 // by node: how many lists have it and were not yet used
	left  []bool
	// waiting are the threads that go on when a node is left, and clocks those of nodes that were left.
	waiting map[int32][]int32
	clocks  map[int32][]int32
}

// orderThreads finds the order between the threads of the ranks; nil: no rank has several.
func (c *clocks) orderThreads() *threadOrder {
	if !slices.ContainsFunc(c.digests, func(d *Digest) bool { return len(d.ends) > 0 }) {
		return nil
	}
	o := &threadOrder{of: make([]int32, 1, c.steps+1), needs: make([]int32, c.steps), left: make([]bool, c.steps),
		waiting: map[int32][]int32{}, clocks: map[int32][]int32{}}
	for rank, d := range c.digests {
		if len(d.ends) == 0 || c.several[rank] == nil {
			for range d.steps {
				o.of = append(o.of, int32(len(o.steps)))
			}
			continue
		}
		o.addRank(c.base[rank], d.ends, c.several[rank])
	}
	return o
}

// addRank adds the steps of a rank with several threads, of which that is the first node.
func (o *threadOrder) addRank(first int32, ends, threads []int32) {
	byEnd := make([]int32, len(ends))
	for i := range byEnd {
		byEnd[i] = int32(i)
	}
	slices.SortStableFunc(byEnd, func(a, b int32) int { return cmp.Compare(ends[a], ends[b]) })
	used := map[int32]int{} // by thread: how many of byEnd it knows
	latest := map[int32]int32{}
	over := 0
	for i := range ends {
		own := threads[i]
		for over < len(byEnd) && ends[byEnd[over]] <= int32(i) {
			over++
		}
		clear(latest)
		for _, k := range byEnd[used[own]:over] {
			if threads[k] != own {
				latest[threads[k]] = max(latest[threads[k]], k+1)
			}
		}
		used[own] = over
		from := len(o.steps)
		for _, k := range latest {
			o.steps = append(o.steps, first+k-1)
			o.needs[first+k-1]++
		}
		slices.Sort(o.steps[from:])
		o.of = append(o.of, int32(len(o.steps)))
	}
}

// before are the nodes that come before one.
func (o *threadOrder) before(node int32) []int32 { return o.steps[o.of[node]:o.of[node+1]] }

// mayBegin reports whether all has been left that comes before a node; else its thread waits for that.
func (o *threadOrder) mayBegin(node, thread int32) bool {
	for _, k := range o.before(node) {
		if !o.left[k] {
			o.waiting[k] = append(o.waiting[k], thread)
			return false
		}
	}
	return true
}

// begin merges the clocks of what comes before a node.
func (o *threadOrder) begin(node int32, clock []int32) {
	for _, k := range o.before(node) {
		for i, v := range o.clocks[k] {
			clock[i] = max(clock[i], v)
		}
		if o.needs[k]--; o.needs[k] == 0 {
			delete(o.clocks, k)
		}
	}
}

// leave keeps the clock of a node that is left, and returns the threads that waited for it.
func (o *threadOrder) leave(node int32, clock []int32) []int32 {
	o.left[node] = true
	if o.needs[node] > 0 {
		o.clocks[node] = slices.Clone(clock)
	}
	threads := o.waiting[node]
	delete(o.waiting, node)
	return threads
}
