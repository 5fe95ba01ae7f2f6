package chain

import "laggard/model"

const tableMark = "laggard movement table 1"

// Encode writes the table; equal tables give equal bytes.
func (t Table) Encode() ([]byte, error) {
	t = t.canonical()
	w := &writer{}
	w.text(tableMark)
	w.count(len(t.sites.all) - 1)
	for _, s := range t.sites.all[1:] {
		w.text(s)
	}
	w.count(len(t.channels.all))
	for _, c := range t.channels.all {
		w.channel(c)
	}
	w.count(len(t.symbols.all))
	for _, s := range t.symbols.all {
		w.symbol(s)
	}
	w.count(len(t.paths.all) - 1)
	for _, s := range t.paths.all[1:] {
		w.index(s.parent)
		w.index(s.symbol)
	}
	w.count(len(t.parts))
	for i := range t.parts {
		w.part(&t.parts[i])
	}
	return w.b, nil
}

func (w *writer) channel(c Channel) {
	w.uint(boolBit(c.Stream))
	w.uint(c.ID)
	for _, v := range []int32{c.From, c.To, c.Tag} {
		w.int(int64(v))
	}
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (w *writer) symbol(s symbol) {
	w.uint(uint64(s.segments)<<1 | boolBit(s.reread))
	w.index(s.site)
	w.index(s.source)
	w.index(s.dest)
}

func (w *writer) part(p *part) {
	w.count(p.rank)
	for _, halves := range [][]half{p.sends, p.recvs} {
		w.count(len(halves))
		var last half
		for _, h := range halves {
			w.half(h, last)
			last = h
		}
	}
	w.count(len(p.legs))
	var last leg
	for _, l := range p.legs {
		w.leg(l, last)
		last = l
	}
}

func (w *writer) half(h, last half) {
	w.index(h.channel)
	w.index(h.site)
	w.index(h.alloc)
	w.uint(h.seq)
	w.int(int64(h.lo - last.lo))
	w.uint(h.hi - h.lo)
	w.int(h.order - last.order)
	w.int(h.time - last.time)
}

func (w *writer) leg(l, last leg) {
	w.uint(boolBit(l.from >= 0) | boolBit(l.to >= 0)<<1 | boolBit(l.reread)<<2)
	if l.from >= 0 {
		w.index(l.from)
		w.uint(l.fromLo)
		w.uint(l.fromHi - l.fromLo)
	}
	if l.to >= 0 {
		w.index(l.to)
		w.uint(l.toLo)
		w.uint(l.toHi - l.toLo)
	}
	w.index(l.path)
	w.int(l.order - last.order)
	w.int(l.time - last.time)
}

// DecodeTable reads what Encode wrote. Errors wrap ErrEncoding.
func DecodeTable(b []byte) (Table, error) {
	r := newReader(b)
	t := emptyTable()
	r.mark(tableMark)
	r.sites(&t)
	r.channels(&t)
	r.symbols(&t)
	r.paths(&t)
	for range r.count(4) {
		p := r.part(&t)
		if n := len(t.parts); n > 0 && t.parts[n-1].rank >= p.rank {
			r.fail("rank %d after %d", p.rank, t.parts[n-1].rank)
		}
		t.parts = append(t.parts, p)
	}
	if err := r.end(); err != nil {
		return Table{}, err
	}
	return t, nil
}

func (r *reader) sites(t *Table) {
	for range r.count(1) {
		s := r.text()
		if s <= t.sites.all[len(t.sites.all)-1] {
			r.fail("site %q out of order", s)
			return
		}
		t.sites.number(s)
	}
}

func (r *reader) channels(t *Table) {
	for range r.count(5) {
		c := Channel{Stream: r.index(2) == 1, ID: r.uint(), From: r.int32(), To: r.int32(), Tag: r.int32()}
		if n := len(t.channels.all); n > 0 && t.channels.all[n-1].compare(c) >= 0 {
			r.fail("channels out of order")
			return
		}
		t.channels.number(c)
	}
}

func (r *reader) int32() int32 {
	v := r.int()
	if int64(int32(v)) != v {
		r.fail("%d", v)
	}
	return int32(v)
}

func (r *reader) symbols(t *Table) {
	n := len(t.sites.all)
	for range r.count(4) {
		bits := r.index(2 * (maxSegments + 1))
		s := symbol{kind: Single, segments: uint8(bits >> 1), reread: bits&1 != 0, site: r.index(n), source: r.index(n), dest: r.index(n)}
		if s.segments > 1 {
			s.kind = Pack
		}
		if k := len(t.symbols.all); s.segments == 0 || k > 0 && t.symbols.all[k-1].compare(s) >= 0 {
			r.fail("symbols out of order")
			return
		}
		t.symbols.number(s)
	}
}

func (r *reader) paths(t *Table) {
	p := t.paths
	for range r.count(2) {
		s := step{r.index(len(p.all)), r.index(len(t.symbols.all))}
		n := len(p.all)
		last := p.all[n-1]
		if r.err == nil && n > 1 && (s.parent < last.parent || s.parent == last.parent && s.symbol <= last.symbol) {
			r.fail("paths out of order")
		}
		if r.err != nil {
			return
		}
		if p.extend(s.parent, s.symbol, t.symbols.all) != int32(n) {
			r.fail("path %d has an operation twice", n)
			return
		}
	}
}

func (r *reader) part(t *Table) part {
	p := part{rank: int(r.index(model.MaxRank + 1))}
	p.sends = r.halves(t)
	p.recvs = r.halves(t)
	var last leg
	for range r.count(4) {
		l := r.leg(&p, len(t.paths.all))
		l.order, l.time = last.order+r.int(), last.time+r.int()
		if r.err != nil {
			return p
		}
		p.legs = append(p.legs, l)
		last = l
	}
	return p
}

func (r *reader) halves(t *Table) []half {
	var out []half
	var last half
	for range r.count(8) {
		h := half{channel: r.index(len(t.channels.all)), site: r.index(len(t.sites.all)), alloc: r.index(len(t.sites.all)), seq: r.uint()}
		h.lo = last.lo + uint64(r.int())
		h.hi = h.lo + r.uint()
		h.order, h.time = last.order+r.int(), last.time+r.int()
		if h.hi <= h.lo {
			r.fail("bytes %d to %d", h.lo, h.hi)
		}
		if r.err != nil {
			return nil
		}
		out = append(out, h)
		last = h
	}
	return out
}

// leg reads all of a leg but its order and time.
func (r *reader) leg(p *part, paths int) leg {
	l := leg{from: -1, to: -1}
	ends := r.index(8)
	if ends&1 != 0 {
		l.from = r.index(len(p.recvs))
		l.fromLo, l.fromHi = r.bytesOf(p.recvs, l.from)
	}
	if ends&2 != 0 {
		l.to = r.index(len(p.sends))
		l.toLo, l.toHi = r.bytesOf(p.sends, l.to)
	}
	if l.path = r.index(paths); l.path == 0 && l.to < 0 {
		r.fail("a leg without operations")
	}
	if l.reread = ends&4 != 0; l.reread && l.to < 0 {
		r.fail("a leg to nowhere that reads again")
	}
	return l
}

// bytesOf reads a part of the bytes of one of the transfers.
func (r *reader) bytesOf(of []half, i int32) (lo, hi uint64) {
	lo, n := r.uint(), r.uint()
	if r.err == nil && (lo+n < lo || lo+n > of[i].hi-of[i].lo || n == 0) {
		r.fail("%d bytes at %d of %d", n, lo, of[i].hi-of[i].lo)
	}
	return lo, lo + n
}
