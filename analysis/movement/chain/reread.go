package chain

// scanner names who read what a node wrote: a call site, for sends together with
// the destination, since a buffer is often sent to several ranks.
type scanner struct {
	node, site int32
	to         int32 // index into Parser.destinations; -1 for a copy
}

// reading is the first reader of a node, and between which addresses it read.
// Most nodes have no other.
type reading struct {
	site, to int32
	bytes    span // empty: nobody yet
}

// destination is the number of where a channel leads. A message that is sent again
// is the same data to the same rank, whatever tag and communicator it has.
func (p *Parser) destination(channel int32) int32 {
	c := p.channels.all[channel]
	if !c.Stream {
		c = Channel{To: c.To}
	}
	return p.destinations.number(c)
}

// reread notes in p.old which pieces the operation's call site read before, and
// that it reads all of them now. Where data are written once and read once as a
// rule, a second reading means that a write was forgotten, or that it is the wrong
// buffer.
func (p *Parser) reread(o *pending) {
	who := scanner{site: o.site, to: -1}
	if o.kind == Send {
		who.to = p.destination(o.channel)
	}
	p.old = p.old[:0]
	for _, q := range o.pieces {
		old := false
		if who.node = q.node; q.node >= 0 {
			b := p.read(who)
			old = b.lo < q.src+q.n && q.src < b.hi
		}
		p.old = append(p.old, old)
	}
	for _, q := range o.pieces {
		if who.node = q.node; q.node >= 0 {
			p.note(who, q.src, q.src+q.n)
		}
	}
}

// read returns between which addresses the reader has read.
func (p *Parser) read(who scanner) span {
	f := &p.nodes[who.node].first
	if f.site == who.site && f.to == who.to {
		return f.bytes
	}
	return p.readers[who]
}

func (p *Parser) note(who scanner, lo, hi uint64) {
	b := p.read(who)
	if b.hi > b.lo {
		lo, hi = min(lo, b.lo), max(hi, b.hi)
	}
	b = span{lo: lo, hi: hi}
	f := &p.nodes[who.node].first
	if f.bytes.hi == 0 {
		f.site, f.to = who.site, who.to
	}
	if f.site == who.site && f.to == who.to {
		f.bytes = b
		return
	}
	p.readers[who] = b
}
