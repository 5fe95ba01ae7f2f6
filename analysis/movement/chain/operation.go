package chain

import "strings"

// Kind is the kind of an operation.
type Kind uint8

// The kinds of operation (§4.2).
const (
	Single  Kind = iota + 1 // one copy
	Pack                    // several copies that gather into, or scatter from, one contiguous range
	Network                 // a send and its receive; without its partner, one half of it
)

// The uniqueness of operations (Equation 2).
const (
	networkUniqueness = 2  // M
	maxSegments       = 10 // N
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"none", "copy", "pack", "network"}[min(k, Network)]
}

// Operation is the symbol of an operation: two operations with the same symbol
// are of one type (§4.3). Sites are the names that the Parser was given; "" is
// an allocation that was not seen (static memory, the stack), or the missing
// half of a Network operation.
type Operation struct {
	Kind    Kind
	Site    string // call site; of the send for Network
	Partner string // call site of the receive for Network, else ""
	Source  string // where the source buffer was allocated
	Dest    string // where the destination buffer was allocated
}

func (o Operation) Compare(p Operation) int {
	for _, c := range []int{int(o.Kind) - int(p.Kind), strings.Compare(o.Site, p.Site),
		strings.Compare(o.Partner, p.Partner),
		strings.Compare(o.Source, p.Source), strings.Compare(o.Dest, p.Dest)} {
		if c != 0 {
			return c
		}
	}
	return 0
}

// symbol is an operation with its sites as numbers. What is no part of the type
// is kept beside it: the segments, because the uniqueness of a pack depends on
// them, and whether it read bytes that the same call site had read before.
type symbol struct {
	kind                        Kind
	segments                    uint8 // 1..maxSegments
	reread                      bool
	site, partner, source, dest int32
}

func (s symbol) operation(sites []string) Operation {
	return Operation{s.kind, sites[s.site], sites[s.partner], sites[s.source], sites[s.dest]}
}

// uniqueness is that of one operation (Equation 2).
func (s symbol) uniqueness() int {
	switch s.kind {
	case Network:
		return networkUniqueness
	case Pack:
		return int(s.segments)
	}
	return 1
}

// interner numbers values in the order in which they first appear.
type interner[T comparable] struct {
	all   []T
	index map[T]int32
}

func newInterner[T comparable](first ...T) interner[T] {
	n := interner[T]{index: map[T]int32{}}
	for _, v := range first {
		n.intern(v)
	}
	return n
}

func (n *interner[T]) intern(v T) int32 {
	i, ok := n.index[v]
	if !ok {
		i = int32(len(n.all))
		n.all = append(n.all, v)
		n.index[v] = i
	}
	return i
}
