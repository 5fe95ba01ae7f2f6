package chain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"laggard/model"
)

// Parser turns the events of one rank into operations and the legs of chains
// (§4.2). Its memory follows the number of operations.
type Parser struct {
	sites    interner[string]
	channels interner[Channel]
	symbols  interner[symbol]
	paths    *pathTree
	memory   memory
	data     intervals // addresses to the node that wrote them
	nodes    []node
	bases    []uint64 // where each receive put its first byte
	open     []*pending
	spare    []*pending
	part     part
	events   int64

	readers      map[readerKey]readExtent // further readings of nodes that have one
	destinations interner[Channel]

	before  []int32  // scratch: of the pieces of an operation, what read them before
	spans   []span   // scratch
	strands []strand // scratch
	which   []int    // scratch
}

// node is an operation that wrote memory, seen as the end of a chain.
type node struct {
	path        int32  // the operations since its chain began, or since the receive
	from        int32  // the receive it descends from, -1 none
	lo, hi      uint64 // the bytes of that receive it descends from
	order, time int64
	extended    bool // a later operation goes on from here
	first       reading
}

// NewParser returns a Parser for the events of a rank.
func NewParser(rank int) *Parser {
	return &Parser{
		sites: newInterner(""), channels: newInterner[Channel](), symbols: newInterner[symbol](),
		paths: newPathTree(), memory: memory{begins: map[uint64]int32{}}, readers: map[readerKey]readExtent{},
		destinations: newInterner[Channel](), part: part{rank: rank},
	}
}

// Site returns the number by which events name a call site. Names must say the
// same place in all ranks and runs; "" is site 0, unknown.
func (p *Parser) Site(name string) int32 { return p.sites.intern(name) }

// Channel returns the number by which events name a channel.
func (p *Parser) Channel(c Channel) int32 { return p.channels.intern(c) }

// Allocated reports whether an address lies in a buffer whose allocation was seen.
func (p *Parser) Allocated(addr uint64) bool { return p.bufferAt(addr) >= 0 }

// Add takes the next event. One that cannot be is left out, and the error,
// which wraps ErrEvent, says which; the parser can go on.
func (p *Parser) Add(e *Event) error {
	p.events++
	if err := p.checkEvent(e); err != nil {
		return fmt.Errorf("%w: rank %d: event %d: %w", ErrEvent, p.part.rank, p.events, err)
	}
	switch e.Kind {
	case Copy, Send, Recv:
		if e.Len > 0 {
			p.addMovement(e)
		}
	default:
		p.trackBuffer(e)
	}
	return nil
}

func (p *Parser) checkEvent(e *Event) error {
	switch {
	case e.Kind < Alloc || e.Kind > Recv:
		return fmt.Errorf("kind %d", e.Kind)
	case e.Site < 0 || int(e.Site) >= len(p.sites.all):
		return fmt.Errorf("site %d of %d", e.Site, len(p.sites.all))
	case e.Kind >= Send && (e.Channel < 0 || int(e.Channel) >= len(p.channels.all)):
		return fmt.Errorf("channel %d of %d", e.Channel, len(p.channels.all))
	case e.Kind >= Send && e.Len > math.MaxUint64-e.Offset:
		return fmt.Errorf("%d bytes at offset %d", e.Len, e.Offset)
	case e.Kind != Free && (e.Len > math.MaxUint64-e.Src || e.Len > math.MaxUint64-e.Dst):
		return fmt.Errorf("%d bytes at %#x, %#x", e.Len, e.Src, e.Dst)
	}
	return nil
}

// trackBuffer follows the life of a buffer. What lies in a buffer ends with it.
func (p *Parser) trackBuffer(e *Event) {
	lo, hi := e.Dst, e.Dst+e.Len
	if e.Kind == Free {
		hi = p.memory.bufferEnd(lo)
	}
	p.concludeIf(func(o *pending) bool { return o.thread == e.Thread || o.writesInto(lo, hi) })
	switch e.Kind {
	case Alloc:
		if hi > lo {
			p.data.clearRange(lo, hi)
			p.memory.alloc(lo, hi, e.Site)
		}
	case Free:
		p.data.clearRange(lo, hi)
		p.memory.free(lo)
	case Resize:
		if old, ok := p.memory.resize(lo, hi); ok && old > hi {
			p.data.clearRange(hi, old)
		}
	}
}

// addMovement takes a copy, a send or a receive: it goes on with the operation that
// its thread is at, or begins one.
func (p *Parser) addMovement(e *Event) {
	joined := false
	p.concludeIf(func(o *pending) bool {
		if o.thread == e.Thread && p.continues(o, e) {
			p.extendOperation(o, e)
			joined = true
			return false
		}
		return o.thread == e.Thread || o.conflictsWith(e)
	})
	if !joined {
		p.beginOperation(e)
	}
}

// concludeIf concludes the open operations that the function names.
func (p *Parser) concludeIf(which func(*pending) bool) {
	kept := p.open[:0]
	for _, o := range p.open {
		if which(o) {
			p.concludeOperation(o)
			p.spare = append(p.spare, o)
		} else {
			kept = append(kept, o)
		}
	}
	p.open = kept
}

// Finish returns what the events amount to. The Parser is of no use afterwards.
func (p *Parser) Finish() (Table, error) {
	if p.part.rank < 0 || p.part.rank > model.MaxRank {
		return Table{}, fmt.Errorf("%w: rank %d", ErrEvent, p.part.rank)
	}
	p.concludeIf(func(*pending) bool { return true })
	for _, n := range p.nodes {
		if !n.extended && n.path > 0 {
			p.part.legs = append(p.part.legs,
				leg{from: n.from, fromLo: n.lo, fromHi: n.hi, to: -1, path: n.path, before: neverRead,
					order: n.order, time: n.time})
		}
	}
	slices.SortStableFunc(p.part.legs, func(a, b leg) int { return cmp.Compare(a.order, b.order) })
	return Table{sites: p.sites, channels: p.channels, symbols: p.symbols, paths: p.paths, parts: []part{p.part}}, nil
}
