package chain

import (
	"fmt"
	"strings"

	"laggard/model"
	"laggard/model/wire"
)

const tableMark = "laggard movement table 1"

// Encode writes the table; equal tables give equal bytes.
func (t Table) Encode() ([]byte, error) {
	t = t.canonical()
	return wire.Encode(t.code)
}

// DecodeTable reads what Encode wrote. Errors wrap ErrEncoding.
func DecodeTable(b []byte) (Table, error) {
	t := emptyTable()
	if err := wire.Decode(b, t.code); err != nil {
		return Table{}, fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	return t, nil
}

func (t *Table) code(c *wire.Coder) {
	c.TypeMark(tableMark)
	t.codeSites(c)
	t.codeChannels(c)
	t.codeSymbols(c)
	t.codePaths(c)
	wire.SortedList(c, &t.parts, t.codePart, func(x, y part) int { return x.rank - y.rank })
}

func (t *Table) codeSites(c *wire.Coder) {
	sites := t.sites.all[1:] // the first, "", goes without saying
	wire.SortedList(c, &sites, func(s *string, c *wire.Coder) { c.RawText(s) }, strings.Compare)
	if !c.IsReading() {
		return
	}
	for _, s := range sites {
		if s == "" {
			c.Fail("a site without a name")
		}
		t.sites.intern(s)
	}
}

func (t *Table) codeChannels(c *wire.Coder) {
	channels := t.channels.all
	wire.SortedList(c, &channels, (*Channel).code, Channel.compare)
	for i := 0; c.IsReading() && i < len(channels); i++ {
		t.channels.intern(channels[i])
	}
}

func (ch *Channel) code(c *wire.Coder) {
	c.Flags(&ch.Stream)
	wire.Uint(c, &ch.ID)
	wire.Int(c, &ch.From)
	wire.Int(c, &ch.To)
	wire.Int(c, &ch.Tag)
}

func (t *Table) codeSymbols(c *wire.Coder) {
	symbols := t.symbols.all
	wire.SortedList(c, &symbols, t.codeSymbol, symbol.compare)
	for i := 0; c.IsReading() && i < len(symbols); i++ {
		t.symbols.intern(symbols[i])
	}
}

func (t *Table) codeSymbol(s *symbol, c *wire.Coder) {
	bits := int(s.segments) << 1
	if s.reread {
		bits |= 1
	}
	wire.Index(c, &bits, 2*(maxSegments+1))
	for _, site := range []*int32{&s.site, &s.source, &s.dest} {
		wire.Index(c, site, len(t.sites.all))
	}
	if !c.IsReading() {
		return
	}
	if s.kind, s.segments, s.reread = Single, uint8(bits>>1), bits&1 != 0; s.segments > 1 {
		s.kind = Pack
	}
	if s.segments == 0 {
		c.Fail("an operation without segments")
	}
}

func (t *Table) codePaths(c *wire.Coder) {
	p := t.paths
	at := 0
	paths := p.all[1:]
	wire.SortedList(c, &paths, func(s *step, c *wire.Coder) {
		at++
		wire.Index(c, &s.parent, at)
		wire.Index(c, &s.symbol, len(t.symbols.all))
		if c.IsReading() && p.extend(s.parent, s.symbol, t.symbols.all) != int32(at) {
			c.Fail("path %d has an operation twice, or is there already", at)
		}
	}, step.compare)
}

func (t *Table) codePart(p *part, c *wire.Coder) {
	wire.Index(c, &p.rank, model.MaxRank+1)
	t.codeHalves(c, &p.sends)
	t.codeHalves(c, &p.recvs)
	var last leg
	wire.List(c, &p.legs, func(l *leg, c *wire.Coder) {
		t.codeLeg(c, l, p)
		wire.Delta(c, &l.order, last.order)
		wire.Delta(c, &l.time, last.time)
		last = *l
	})
}

func (t *Table) codeHalves(c *wire.Coder, halves *[]half) {
	var last half
	wire.List(c, halves, func(h *half, c *wire.Coder) {
		wire.Index(c, &h.channel, len(t.channels.all))
		wire.Index(c, &h.site, len(t.sites.all))
		wire.Index(c, &h.alloc, len(t.sites.all))
		wire.Uint(c, &h.seq)
		wire.Delta(c, &h.lo, last.lo)
		length := h.hi - h.lo
		wire.Uint(c, &length)
		wire.Delta(c, &h.order, last.order)
		wire.Delta(c, &h.time, last.time)
		if c.IsReading() {
			if h.hi = h.lo + length; h.hi <= h.lo {
				c.Fail("bytes %d to %d", h.lo, h.hi)
			}
		}
		last = *h
	})
}

// codeLeg codes all of a leg but its order and time.
func (t *Table) codeLeg(c *wire.Coder, l *leg, p *part) {
	from, to, before := l.from >= 0, l.to >= 0, l.before >= 0
	if c.Flags(&from, &to, &before); c.IsReading() {
		l.from, l.to, l.before = -1, -1, neverRead
	}
	if from {
		codeBytes(c, p.recvs, &l.from, &l.fromLo, &l.fromHi)
	}
	if to {
		codeBytes(c, p.sends, &l.to, &l.toLo, &l.toHi)
	}
	if wire.Index(c, &l.path, len(t.paths.all)); l.path == 0 && !to {
		c.Fail("a leg without operations")
	}
	if before {
		wire.Index(c, &l.before, int(max(l.to, 0)))
	}
}

// codeBytes codes a part of the bytes of one of the transfers.
func codeBytes(c *wire.Coder, of []half, i *int32, lo, hi *uint64) {
	n := *hi - *lo
	wire.Index(c, i, len(of))
	wire.Uint(c, lo)
	if wire.Uint(c, &n); !c.IsReading() {
		return
	}
	if h := of[*i]; *lo+n < *lo || *lo+n > h.hi-h.lo || n == 0 {
		c.Fail("%d bytes at %d of %d", n, *lo, h.hi-h.lo)
	}
	*hi = *lo + n
}
