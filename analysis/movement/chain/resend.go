package chain

// findWasted tells by send whether nothing became of it: its receiver left more than half of
// it where it lay, though what comes at that place is moved on as a rule. So are copies
// of a message thrown away, and messages that came damaged.
func (v *resolver) findWasted() []bool {
	type place struct{ site, alloc int32 }
	moved := make([]uint64, len(v.recvs))
	for _, l := range v.legs {
		if l.from >= 0 {
			moved[l.from] += l.fromHi - l.fromLo
		}
	}
	left := func(r int32) bool { return 2*moved[r] < v.recvs[r].hi-v.recvs[r].lo }
	balance := map[place]int{} // how many more are moved on than left
	for i, r := range v.recvs {
		if left(int32(i)) {
			balance[place{r.site, r.alloc}]--
		} else {
			balance[place{r.site, r.alloc}]++
		}
	}
	used, out := make([]bool, len(v.sends)), make([]bool, len(v.sends))
	for _, p := range v.pairs {
		r := v.recvs[p.recv]
		used[p.send] = used[p.send] || !left(p.recv) || balance[place{r.site, r.alloc}] <= 0
		out[p.send] = !used[p.send]
	}
	return out
}

// findResends tells by send whether it was wasted and a later one of the same bytes to the same
// rank was not: that one is the message.
func (v *resolver) findResends() []bool {
	out := make([]bool, len(v.sends))
	for i := len(v.legs) - 1; i >= 0; i-- {
		if l := v.legs[i]; l.before != neverRead && v.wasted[l.before] && (!v.wasted[l.to] || out[l.to]) {
			out[l.before] = true
		}
	}
	return out
}

// isStaleSend reports whether the send at the end of a leg brought what another had brought before.
func (v *resolver) isStaleSend(l leg) bool {
	return l.before != neverRead && !v.wasted[l.before] && !v.wasted[l.to]
}
