package chain

// pending is the operation that a thread is at: a copy that may turn out to be
// the first of a pack, or a transfer that may come in several parts (§4.2).
type pending struct {
	kind                  EventKind
	thread                uint32
	site, channel         int32
	source, dest          int32 // allocation sites
	srcBuffer, dstBuffer  int32 // buffers of the last part
	seq, lo, hi           uint64
	srcEnd, dstEnd        uint64     // behind the last part
	writesLo, writesHi    uint64     // all that it writes lies between
	scattered             *intervals // what a scatter writes, from when an address between was asked for
	shape                 shape
	segments, total, base uint64
	order, time           int64
	pieces                []piece
}

// shape says which side of a pack has gaps.
type shape uint8

const (
	straight shape = iota // neither
	gather
	scatter
)

// piece is a part of what an operation moves, with one origin.
type piece struct {
	node int32  // that wrote it, -1 unknown
	src  uint64 // address
	at   uint64 // address it was copied to, or place in the message
	n    uint64 // bytes
}

// writesInto reports whether the operation writes into lo ≤ a < hi. Other buffers may lie between the parts of a scatter,
// the one it reads among them: where is up to the allocator of each rank.
func (o *pending) writesInto(lo, hi uint64) bool {
	if between := o.writesLo < hi && lo < o.writesHi; !between || o.shape != scatter {
		return between
	}
	if o.scattered == nil {
		o.scattered = &intervals{}
		for _, q := range o.pieces {
			o.scattered.setRange(q.at, q.at+q.n, 0)
		}
	}
	return o.scattered.overlaps(lo, hi)
}

// conflictsWith reports whether the event reads or overwrites what the operation writes.
func (o *pending) conflictsWith(e *Event) bool {
	return e.Kind != Recv && o.writesInto(e.Src, e.Src+e.Len) || e.Kind != Send && o.writesInto(e.Dst, e.Dst+e.Len)
}

// bufferAt returns the number of the live buffer at an address, -1 none.
func (p *Parser) bufferAt(addr uint64) int32 {
	if i, ok := p.memory.spans.valueAt(addr); ok {
		return i
	}
	return -1
}

// continues reports whether the event is one more part of the operation: at the
// same call site, and next to the part before it on one side at least.
func (p *Parser) continues(o *pending, e *Event) bool {
	if o.kind != e.Kind || o.site != e.Site || o.conflictsWith(e) {
		return false
	}
	src, dst := p.adjacentSides(o, e)
	if e.Kind == Copy {
		return src && dst || dst && o.shape != scatter || src && o.shape != gather
	}
	next := e.Channel == o.channel && e.Seq == o.seq && e.Offset == o.hi
	return next && (src || dst)
}

// adjacentSides tells on which sides the event lies next to the part before it, in
// the same buffer. A send has no destination and a receive no source.
func (p *Parser) adjacentSides(o *pending, e *Event) (src, dst bool) {
	src = e.Kind != Recv && e.Src == o.srcEnd && p.bufferAt(e.Src) == o.srcBuffer
	dst = e.Kind != Send && e.Dst == o.dstEnd && p.bufferAt(e.Dst) == o.dstBuffer
	return src, dst
}

// extendOperation adds to the operation an event that continues it.
func (p *Parser) extendOperation(o *pending, e *Event) {
	src, dst := p.adjacentSides(o, e)
	if e.Kind == Copy && src != dst {
		o.segments++
		o.shape = scatter
		if dst {
			o.shape = gather
		}
	}
	p.addBytes(o, e)
}

// beginOperation starts an operation.
func (p *Parser) beginOperation(e *Event) {
	o := &pending{}
	if n := len(p.spare); n > 0 {
		o = p.spare[n-1]
		p.spare = p.spare[:n-1]
	}
	*o = pending{kind: e.Kind, thread: e.Thread, site: e.Site, channel: e.Channel, seq: e.Seq, lo: e.Offset,
		segments: 1, base: e.Dst, order: p.events, time: e.Time, pieces: o.pieces[:0]}
	if e.Kind != Recv {
		o.source = p.memory.allocSite(e.Src)
	}
	if e.Kind != Send {
		o.dest = p.memory.allocSite(e.Dst)
		o.writesLo, o.writesHi = e.Dst, e.Dst
	}
	p.addBytes(o, e)
	p.open = append(p.open, o)
}

// addBytes adds the bytes of the event to the operation.
func (p *Parser) addBytes(o *pending, e *Event) {
	if e.Kind != Recv {
		at := e.Dst
		if e.Kind == Send {
			at = o.total
		}
		p.recordOrigins(o, e.Src, e.Src+e.Len, at)
		o.srcEnd, o.srcBuffer = e.Src+e.Len, p.bufferAt(e.Src)
	}
	if e.Kind != Send {
		o.dstEnd, o.dstBuffer = e.Dst+e.Len, p.bufferAt(e.Dst)
		o.writesLo, o.writesHi = min(o.writesLo, e.Dst), max(o.writesHi, e.Dst+e.Len)
		if o.scattered != nil {
			o.scattered.setRange(e.Dst, e.Dst+e.Len, 0)
		}
	}
	o.hi = e.Offset + e.Len
	o.total += e.Len
}

// recordOrigins notes who wrote the bytes lo ≤ a < hi.
func (p *Parser) recordOrigins(o *pending, lo, hi, at uint64) {
	p.spans = p.data.appendOverlaps(lo, hi, p.spans[:0])
	next := lo
	for _, s := range p.spans {
		if s.lo > next {
			o.addPiece(piece{-1, next, at + next - lo, s.lo - next})
		}
		o.addPiece(piece{s.v, s.lo, at + s.lo - lo, s.hi - s.lo})
		next = s.hi
	}
	if next < hi {
		o.addPiece(piece{-1, next, at + next - lo, hi - next})
	}
}

// addPiece appends a piece, joined with the one before it where nothing is lost.
func (o *pending) addPiece(q piece) {
	if n := len(o.pieces); n > 0 {
		if l := &o.pieces[n-1]; l.node == q.node && l.src+l.n == q.src && l.at+l.n == q.at {
			l.n += q.n
			return
		}
	}
	o.pieces = append(o.pieces, q)
}
