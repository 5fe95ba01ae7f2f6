package chain

// readerKey names who read what a node wrote: a call site; for sends the destination,
// since a buffer is often sent to several ranks, and may be sent again from another place.
type readerKey struct {
	node, site int32 // site: -1 for a send
	to         int32 // index into Parser.destinations; -1 for a copy
}

// readExtent is between which addresses a scanner has read, and its last send, an index into
// the sends of the rank; 0 for a copy.
type readExtent struct {
	bytes span // empty: nothing yet
	send  int32
}

// reading is the first reader of a node. Most nodes have no other.
type reading struct {
	site, to int32
	readExtent
}

// neverRead says that bytes were not read before.
const neverRead = -1

// destination is the number of where a channel leads. A message that is sent again
// is the same data to the same rank, whatever tag and communicator it has.
func (p *Parser) destination(channel int32) int32 {
	c := p.channels.all[channel]
	if !c.Stream {
		c = Channel{To: c.To}
	}
	return p.destinations.intern(c)
}

// markRereads notes in p.before which pieces the operation's call site read before, or which
// send to the same rank had them, and that it reads all of them now. Where data are
// written once and read once as a rule, a second reading means that a write was
// forgotten, or that it is the wrong buffer.
func (p *Parser) markRereads(o *pending) {
	who, this := readerKey{site: o.site, to: -1}, int32(0)
	if o.kind == Send {
		who, this = readerKey{site: -1, to: p.destination(o.channel)}, int32(len(p.part.sends)-1)
	}
	p.before = p.before[:0]
	for _, q := range o.pieces {
		before := int32(neverRead)
		if who.node = q.node; q.node >= 0 {
			if s := p.extentReadBy(who); s.bytes.lo < q.src+q.n && q.src < s.bytes.hi {
				before = s.send
			}
		}
		p.before = append(p.before, before)
	}
	for _, q := range o.pieces {
		if who.node = q.node; q.node >= 0 {
			p.recordRead(who, readExtent{span{lo: q.src, hi: q.src + q.n}, this})
		}
	}
}

// extentReadBy returns what the reader has read.
func (p *Parser) extentReadBy(who readerKey) readExtent {
	f := &p.nodes[who.node].first
	if f.site == who.site && f.to == who.to {
		return f.readExtent
	}
	return p.readers[who]
}

func (p *Parser) recordRead(who readerKey, s readExtent) {
	if b := p.extentReadBy(who).bytes; b.hi > b.lo {
		s.bytes = span{lo: min(s.bytes.lo, b.lo), hi: max(s.bytes.hi, b.hi)}
	}
	f := &p.nodes[who.node].first
	if f.bytes.hi == 0 {
		f.site, f.to = who.site, who.to
	}
	if f.site == who.site && f.to == who.to {
		f.readExtent = s
		return
	}
	p.readers[who] = s
}
