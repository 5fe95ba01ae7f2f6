package chain

import (
	"cmp"
	"slices"
	"sort"
)

// Resolve links the legs of all ranks in the table to chains (§4.2). A chain
// begins where no known operation wrote what is read, and where the way comes
// back to an operation that it has already. Sends and receives without a
// partner are half operations.
func Resolve(t Table) *Trace {
	v := newResolver(t)
	for l := range v.legs {
		v.followRoot(int32(l))
	}
	for r := range v.recvs {
		v.emitUnread(int32(r))
	}
	for len(v.queue) > 0 {
		next := v.queue[len(v.queue)-1]
		v.queue = v.queue[:len(v.queue)-1]
		next()
	}
	return v.buildTrace()
}

// resolver walks from leg to leg through the matched transfers.
type resolver struct {
	sites    []string
	channels []Channel
	ranks    []int // ascending
	symbols  interner[symbol]
	paths    *pathTree

	sends, recvs    []half
	legs            []leg
	lost            []int32 // by leg: the symbol that should have come before it, see breakRereads; -1 none
	superseded      []bool  // by leg: see Instance.Again
	priorSuperseded []bool  // by leg: see Instance.Further
	wasted          []bool  // by send: nothing became of it
	partOfLeg       []int32 // index into ranks
	partOfRecv      []int32

	pairs     []pair
	sendPairs csr      // by send, its pairs
	recvPairs csr      // by receive, its pairs
	recvLegs  csr      // by receive, the legs that go on from it, by their first byte
	longest   []uint64 // by receive, the most bytes that one of these moves

	ops    [][]int32    // by path of a leg, its symbols, once they were asked for
	tracks [][]Instance // by part; Group is a path
	// A chain that is cut begins anew, once for each place where that happens.
	cutLegs, cutPairs []bool
	queue             []func()
	budget            int
	links             Links
}

// chain is what is known of a chain on its way: its operations, and where it
// began.
type chain struct {
	path, part      int32
	at              int32 // part of the last operation so far
	lost            int32 // as resolver.lost
	superseded      bool  // as Instance.Again
	priorSuperseded bool  // as Instance.Further
	order, time     int64
}

// stepsPerLeg bounds the work per leg; real data need a few steps.
const stepsPerLeg = 256

func newResolver(t Table) *resolver {
	v := &resolver{sites: t.sites.all, channels: t.channels.all, symbols: newInterner(t.symbols.all...), paths: newPathTree(),
		tracks: make([][]Instance, len(t.parts))}
	if t.paths != nil {
		for _, s := range t.paths.all[1:] {
			v.paths.extend(s.parent, s.symbol, v.symbols.all)
		}
	}
	for i, p := range t.parts {
		v.appendPart(int32(i), p)
	}
	v.pairs = matchTransfers(v.sends, v.recvs, len(t.channels.all))
	v.wasted = v.findWasted()
	v.superseded, v.priorSuperseded = make([]bool, len(v.legs)), make([]bool, len(v.legs))
	v.breakRereads()
	v.indexTransfers()
	v.cutLegs, v.cutPairs = make([]bool, len(v.legs)), make([]bool, len(v.pairs))
	v.budget = stepsPerLeg * (len(v.legs) + len(v.recvs) + 1000)
	return v
}

// appendPart appends the transfers and legs of one rank.
func (v *resolver) appendPart(i int32, p part) {
	sends, recvs := int32(len(v.sends)), int32(len(v.recvs))
	v.ranks = append(v.ranks, p.rank)
	v.sends = append(v.sends, p.sends...)
	v.recvs = append(v.recvs, p.recvs...)
	for range p.recvs {
		v.partOfRecv = append(v.partOfRecv, i)
	}
	for _, l := range p.legs {
		if l.from >= 0 {
			l.from += recvs
		}
		if l.to >= 0 {
			l.to += sends
		}
		if l.before >= 0 {
			l.before += sends
		}
		v.legs = append(v.legs, l)
		v.lost = append(v.lost, -1)
		v.partOfLeg = append(v.partOfLeg, i)
	}
}

// indexTransfers sorts pairs and legs by the transfers that they belong to.
func (v *resolver) indexTransfers() {
	v.sendPairs = newCSR(len(v.sends), len(v.pairs), func(i int) int32 { return v.pairs[i].send })
	v.recvPairs = newCSR(len(v.recvs), len(v.pairs), func(i int) int32 { return v.pairs[i].recv })
	v.recvLegs = newCSR(len(v.recvs), len(v.legs), func(i int) int32 { return v.legs[i].from })
	v.longest = make([]uint64, len(v.recvs))
	for r := range v.recvs {
		list := v.recvLegs.itemsOf(int32(r))
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(v.legs[a].fromLo, v.legs[b].fromLo) })
		for _, l := range list {
			v.longest[r] = max(v.longest[r], v.legs[l].fromHi-v.legs[l].fromLo)
		}
	}
}

// followRoot follows the chain that begins with a leg, if one does: no operation is
// known before the leg, or it goes on from bytes whose send is not known.
func (v *resolver) followRoot(l int32) {
	g := v.legs[l]
	c := chain{part: v.partOfLeg[l], at: v.partOfLeg[l], lost: v.lost[l], superseded: v.superseded[l],
		priorSuperseded: v.priorSuperseded[l], order: g.order, time: g.time}
	if g.from >= 0 {
		r := v.recvs[g.from]
		for _, p := range v.recvPairs.itemsOf(g.from) {
			if v.pairs[p].lo < r.lo+g.fromHi && r.lo+g.fromLo < v.pairs[p].hi {
				return
			}
		}
		c.path = v.paths.extend(0, v.symbols.intern(symbol{kind: Network, segments: 1, partner: r.site, dest: r.alloc}),
			v.symbols.all)
	}
	v.followLeg(c, l, v.operationsOf(g.path))
}

// emitUnread notes the receive as a chain of its own if nothing is known of its
// bytes, before or after.
func (v *resolver) emitUnread(i int32) {
	if len(v.recvPairs.itemsOf(i)) > 0 || len(v.recvLegs.itemsOf(i)) > 0 {
		return
	}
	r := v.recvs[i]
	half := v.symbols.intern(symbol{kind: Network, segments: 1, partner: r.site, dest: r.alloc})
	v.emitChain(chain{path: v.paths.extend(0, half, v.symbols.all), part: v.partOfRecv[i], at: v.partOfRecv[i], lost: -1, order: r.order,
		time: r.time})
}

// emitChain notes a chain that is over.
func (v *resolver) emitChain(c chain) {
	v.tracks[c.part] = append(v.tracks[c.part], Instance{Group: c.path, Lost: c.lost, Superseded: c.superseded,
		PriorSuperseded: c.priorSuperseded, End: int32(v.ranks[c.at]), Order: c.order, Time: c.time})
}

// spendSteps takes steps from the budget; without any left the chain is over.
func (v *resolver) spendSteps(c chain, steps int) bool {
	if v.budget -= steps; v.budget >= 0 {
		return true
	}
	v.links.Shortened++
	v.emitChain(c)
	return false
}

// followLeg goes on with a leg, of which the given operations are still to come.
func (v *resolver) followLeg(c chain, l int32, rest []int32) {
	if !v.spendSteps(c, 1+len(rest)) {
		return
	}
	if c.path == 0 {
		c.path, rest = v.legs[l].path, nil
	}
	for i, s := range rest {
		path := v.paths.extend(c.path, s, v.symbols.all)
		if path == notExtended {
			v.emitChain(c)
			if !v.cutLegs[l] {
				v.cutLegs[l] = true
				g := v.legs[l]
				fresh := chain{path: v.paths.extend(0, s, v.symbols.all), part: v.partOfLeg[l], at: v.partOfLeg[l], lost: -1,
					order: g.order, time: g.time}
				later := rest[i+1:]
				v.queue = append(v.queue, func() { v.followLeg(fresh, l, later) })
			}
			return
		}
		c.path = path
	}
	if v.legs[l].to < 0 {
		v.emitChain(c)
		return
	}
	v.crossSend(c, l)
}

// crossSend goes on with the send that a leg ends in.
func (v *resolver) crossSend(c chain, l int32) {
	g := v.legs[l]
	s := v.sends[g.to]
	lo, hi := s.lo+g.toLo, s.lo+g.toHi
	list := v.sendPairs.itemsOf(g.to)
	first := sort.Search(len(list), func(i int) bool { return v.pairs[list[i]].hi > lo })
	met := false
	for _, p := range list[first:] {
		if v.pairs[p].lo >= hi {
			break
		}
		met = true
		v.followPair(c, l, p, max(lo, v.pairs[p].lo), min(hi, v.pairs[p].hi))
	}
	if met {
		return
	}
	half := v.symbols.intern(symbol{kind: Network, segments: 1, site: s.site, source: s.alloc})
	if path := v.paths.extend(c.path, half, v.symbols.all); path != notExtended {
		c.path = path
	}
	v.emitChain(c)
}

// followPair goes on with a matched transfer of the bytes lo ≤ b < hi.
func (v *resolver) followPair(c chain, l, p int32, lo, hi uint64) {
	s, r := v.sends[v.pairs[p].send], v.recvs[v.pairs[p].recv]
	n := v.symbols.intern(symbol{kind: Network, segments: 1, site: s.site, partner: r.site, source: s.alloc,
		dest: r.alloc})
	path := v.paths.extend(c.path, n, v.symbols.all)
	if path == notExtended {
		v.emitChain(c)
		if !v.cutPairs[p] {
			v.cutPairs[p] = true
			g := v.legs[l]
			fresh := chain{path: v.paths.extend(0, n, v.symbols.all), part: v.partOfLeg[l], lost: -1, order: g.order,
				time: g.time}
			v.queue = append(v.queue, func() { v.continueFromReceive(fresh, p, lo, hi) })
		}
		return
	}
	c.path = path
	v.continueFromReceive(c, p, lo, hi)
}

// continueFromReceive goes on with the legs that move the bytes lo ≤ b < hi on from the
// receive of a pair.
func (v *resolver) continueFromReceive(c chain, p int32, lo, hi uint64) {
	i := v.pairs[p].recv
	c.at = v.partOfRecv[i]
	lo, hi = lo-v.recvs[i].lo, hi-v.recvs[i].lo
	list := v.recvLegs.itemsOf(i)
	from := lo - min(lo, v.longest[i])
	first := sort.Search(len(list), func(i int) bool { return v.legs[list[i]].fromLo >= from })
	met := false
	for _, l := range list[first:] {
		g := v.legs[l]
		if g.fromLo >= hi || !v.spendSteps(c, 1) {
			break
		}
		if g.fromHi > lo {
			met = true
			v.followLeg(c, l, v.operationsOf(g.path))
		}
	}
	if !met {
		v.emitChain(c)
	}
}

// operationsOf returns the symbols of a path.
func (v *resolver) operationsOf(path int32) []int32 {
	for len(v.ops) <= int(path) {
		v.ops = append(v.ops, nil)
	}
	if v.ops[path] == nil {
		v.ops[path] = v.paths.symbolsOf(path, nil)
	}
	return v.ops[path]
}
