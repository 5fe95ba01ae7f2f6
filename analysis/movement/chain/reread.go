package chain

// scanner names who read what a node wrote: a call site, for sends together with
// the channel, since a buffer is often sent to several ranks.
type scanner struct {
	node, site int32
	channel    int32 // -1 for a copy
}

// reading is the first reader of a node, and between which addresses it read.
// Most nodes have no other.
type reading struct {
	site, channel int32
	bytes         span // empty: nobody yet
}

// reread tells whether most of what the operation reads was read by its call
// site before, and notes that it is read now. Where data are written once and
// read once as a rule, a second reading means that a write was forgotten, or
// that it is the wrong buffer.
func (p *Parser) reread(o *pending) bool {
	who := scanner{site: o.site, channel: -1}
	if o.kind == Send {
		who.channel = o.channel
	}
	var known, old uint64
	for _, q := range o.pieces {
		if q.node < 0 {
			continue
		}
		known += q.n
		who.node = q.node
		if b := p.read(who); b.lo < q.src+q.n && q.src < b.hi {
			old += q.n
		}
	}
	for _, q := range o.pieces {
		if who.node = q.node; q.node >= 0 {
			p.note(who, q.src, q.src+q.n)
		}
	}
	return old*2 > known
}

// read returns between which addresses the reader has read.
func (p *Parser) read(who scanner) span {
	f := &p.nodes[who.node].first
	if f.site == who.site && f.channel == who.channel {
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
		f.site, f.channel = who.site, who.channel
	}
	if f.site == who.site && f.channel == who.channel {
		f.bytes = b
		return
	}
	p.readers[who] = b
}
