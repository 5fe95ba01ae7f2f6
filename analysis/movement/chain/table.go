package chain

import "fmt"

// Table holds the operations and the legs of chains of some ranks. The zero
// value holds none.
type Table struct {
	sites    interner[string] // 0 is ""
	channels interner[Channel]
	symbols  interner[symbol]
	paths    *pathTree
	parts    []part // in order of rank
}

// part is what one rank adds to the table.
type part struct {
	rank         int
	sends, recvs []half
	legs         []leg // in order
}

// half is one end of a transfer.
type half struct {
	channel, site, alloc int32
	seq, lo, hi          uint64 // message, and bytes of it or of the stream
	order, time          int64
}

// leg is the part of a chain that lies within one rank: from its beginning or
// from a receive, along a path, to its end or to a send. Every longest one is
// there, so a buffer that is read twice ends two legs.
type leg struct {
	from, to       int32  // index into recvs and sends; -1: the chain begins, ends here
	fromLo, fromHi uint64 // the bytes of the receive that it moves
	toLo, toHi     uint64 // the bytes of the send that it fills
	path           int32
	before         int32 // the send of the same bytes to the same rank before that at its end, into sends; -1 none
	order          int64 // of its last operation among the rank's events, from 1
	time           int64
}

// Merge returns a table with the ranks of both. It may keep and change a and b.
// The error wraps ErrOverlap if both have a rank.
func Merge(a, b Table) (Table, error) {
	if len(a.parts) < len(b.parts) {
		a, b = b, a
	}
	if len(b.parts) == 0 {
		return a, nil
	}
	parts, err := joinParts(a.parts, b.parts)
	if err != nil {
		return Table{}, err
	}
	r := newRenumbering(&b, &a)
	for i := range b.parts {
		r.renumberPart(&b.parts[i]) // what parts shares with b
	}
	a.parts = parts
	return a, nil
}

// joinParts merges two sorted lists.
func joinParts(a, b []part) ([]part, error) {
	out := make([]part, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].rank < b[0].rank:
			out, a = append(out, a[0]), a[1:]
		case a[0].rank > b[0].rank:
			out, b = append(out, b[0]), b[1:]
		default:
			return nil, fmt.Errorf("%w: rank %d", ErrOverlap, a[0].rank)
		}
	}
	return append(append(out, a...), b...), nil
}

// renumbering maps the numbers of one table to those of another, which it
// extends by what is missing there. What no part uses is not taken over.
type renumbering struct {
	from, to                        *Table
	sites, channels, symbols, paths []int32 // -1: not needed yet
}

func newRenumbering(from, to *Table) *renumbering {
	r := &renumbering{from: from, to: to}
	r.sites = unmapped(len(from.sites.all))
	r.channels = unmapped(len(from.channels.all))
	r.symbols = unmapped(len(from.symbols.all))
	r.paths = unmapped(len(from.paths.all))
	r.paths[0] = 0
	return r
}

func unmapped(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = -1
	}
	return out
}

func (r *renumbering) mapSite(i int32) int32 {
	if r.sites[i] < 0 {
		r.sites[i] = r.to.sites.intern(r.from.sites.all[i])
	}
	return r.sites[i]
}

func (r *renumbering) mapSymbol(i int32) int32 {
	if r.symbols[i] < 0 {
		s := r.from.symbols.all[i]
		s.site, s.partner, s.source, s.dest = r.mapSite(s.site), r.mapSite(s.partner), r.mapSite(s.source), r.mapSite(s.dest)
		r.symbols[i] = r.to.symbols.intern(s)
	}
	return r.symbols[i]
}

func (r *renumbering) mapPath(i int32) int32 {
	if r.paths[i] < 0 {
		s := r.from.paths.all[i]
		r.paths[i] = r.to.paths.extend(r.mapPath(s.parent), r.mapSymbol(s.symbol), r.to.symbols.all)
	}
	return r.paths[i]
}

func (r *renumbering) renumberHalf(h *half) {
	if r.channels[h.channel] < 0 {
		r.channels[h.channel] = r.to.channels.intern(r.from.channels.all[h.channel])
	}
	h.channel, h.site, h.alloc = r.channels[h.channel], r.mapSite(h.site), r.mapSite(h.alloc)
}

func (r *renumbering) renumberPart(p *part) {
	for i := range p.sends {
		r.renumberHalf(&p.sends[i])
	}
	for i := range p.recvs {
		r.renumberHalf(&p.recvs[i])
	}
	for i := range p.legs {
		p.legs[i].path = r.mapPath(p.legs[i].path)
	}
}
