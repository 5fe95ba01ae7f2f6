package chain

// maxStrands bounds the chains that one operation goes on with; the bytes of
// any more count to the first.
const maxStrands = 32

// strand is what one operation moves for one chain: the bytes that came along
// the same path, from the same receive if they came over the network, and that the
// operation's reader all read before, or never did.
type strand struct {
	path   int32 // including the operation, unless it is a send
	from   int32
	before int32  // as in leg
	lo, hi uint64 // of the receive
	bytes  uint64
	to     span // the part of the message that it fills; its v is unused
}

// concludeOperation links an operation whose parts are complete into the chains.
func (p *Parser) concludeOperation(o *pending) {
	switch o.kind {
	case Copy:
		p.concludeCopy(o)
	case Send:
		p.concludeSend(o)
	case Recv:
		p.concludeRecv(o)
	}
}

func (p *Parser) concludeCopy(o *pending) {
	s := symbol{kind: Single, segments: 1, site: o.site, source: o.source, dest: o.dest}
	if o.segments > 1 {
		s.kind, s.segments = Pack, uint8(min(o.segments, maxSegments))
	}
	p.sortIntoStrands(o, &s)
	first := int32(len(p.nodes))
	for _, st := range p.strands {
		p.nodes = append(p.nodes,
			node{path: st.path, from: st.from, lo: st.lo, hi: st.hi, order: o.order, time: o.time})
	}
	for i, q := range o.pieces {
		p.data.setRange(q.at, q.at+q.n, first+int32(p.which[i]))
	}
}

func (p *Parser) concludeSend(o *pending) {
	to := int32(len(p.part.sends))
	p.part.sends = append(p.part.sends, half{channel: o.channel, site: o.site, alloc: o.source, seq: o.seq, lo: o.lo,
		hi: o.hi, order: o.order, time: o.time})
	p.sortIntoStrands(o, nil)
	widest := p.widestStrand()
	p.strands[widest].to = span{lo: 0, hi: o.total}
	for _, st := range p.strands {
		p.part.legs = append(p.part.legs,
			leg{from: st.from, fromLo: st.lo, fromHi: st.hi, to: to, toLo: st.to.lo, toHi: st.to.hi,
				path: st.path, before: st.before, order: o.order, time: o.time})
	}
}

func (p *Parser) concludeRecv(o *pending) {
	from := int32(len(p.part.recvs))
	p.part.recvs = append(p.part.recvs, half{channel: o.channel, site: o.site, alloc: o.dest, seq: o.seq, lo: o.lo,
		hi: o.hi, order: o.order, time: o.time})
	p.bases = append(p.bases, o.base)
	p.nodes = append(p.nodes, node{from: from, hi: o.total, order: o.order, time: o.time})
	p.data.setRange(o.base, o.base+o.total, int32(len(p.nodes)-1))
}

// sortIntoStrands sorts the pieces of an operation into strands: p.strands, and in
// p.which the strand of each piece. adds is what the operation adds to the
// paths, nil nothing (a send: its symbol is not known before its receive is).
//
// Bytes of unknown origin begin a chain if they are more than half. A few of
// them beside others are a header or padding and go along with the others.
func (p *Parser) sortIntoStrands(o *pending, adds *symbol) {
	p.markRereads(o)
	p.strands, p.which = p.strands[:0], p.which[:0]
	var unknown uint64
	for k, q := range o.pieces {
		i := p.strandOf(q, p.before[k], adds)
		if i < 0 {
			unknown += q.n
		}
		p.which = append(p.which, i)
	}
	start := p.unknownStrand(unknown*2 > o.total || len(p.strands) == 0, adds)
	for i := range p.which {
		if p.which[i] < 0 {
			p.which[i] = start
			p.strands[start].addPiece(o.pieces[i])
		}
	}
}

// strandOf returns the strand of a piece, -1 if its chain begins here.
func (p *Parser) strandOf(q piece, before int32, adds *symbol) int {
	if q.node < 0 {
		return -1
	}
	n := &p.nodes[q.node]
	st := strand{path: n.path, from: n.from, before: before, lo: n.lo, hi: n.hi}
	if n.path == 0 { // the receive itself: its bytes are known one by one
		st.lo = q.src - p.bases[n.from]
		st.hi = st.lo + q.n
	}
	if adds != nil {
		s := *adds
		s.reread = before != neverRead
		if st.path = p.paths.extend(n.path, p.symbols.intern(s), p.symbols.all); st.path == notExtended {
			return -1
		}
	}
	n.extended = true
	i := p.strandIndex(st)
	p.strands[i].addPiece(q)
	return i
}

// strandIndex returns the index of a strand, adding it if it is new.
func (p *Parser) strandIndex(st strand) int {
	for i := range p.strands {
		s := &p.strands[i]
		if s.path == st.path && s.from == st.from && (s.before == neverRead) == (st.before == neverRead) {
			s.before = max(s.before, st.before)
			s.lo, s.hi = min(s.lo, st.lo), max(s.hi, st.hi)
			return i
		}
	}
	if len(p.strands) == maxStrands {
		return 0
	}
	p.strands = append(p.strands, st)
	return len(p.strands) - 1
}

// unknownStrand returns the strand for the bytes of unknown origin: a new one, or the
// widest of the others.
func (p *Parser) unknownStrand(fresh bool, adds *symbol) int {
	if !fresh {
		return p.widestStrand()
	}
	st := strand{from: -1, before: neverRead}
	if adds != nil {
		st.path = p.paths.extend(0, p.symbols.intern(*adds), p.symbols.all)
	}
	p.strands = append(p.strands, st)
	return len(p.strands) - 1
}

func (p *Parser) widestStrand() int {
	w := 0
	for i, s := range p.strands {
		if s.bytes > p.strands[w].bytes {
			w = i
		}
	}
	return w
}

// addPiece adds a piece to the strand.
func (s *strand) addPiece(q piece) {
	if s.bytes == 0 {
		s.to = span{lo: q.at, hi: q.at + q.n}
	}
	s.to.lo, s.to.hi = min(s.to.lo, q.at), max(s.to.hi, q.at+q.n)
	s.bytes += q.n
}
