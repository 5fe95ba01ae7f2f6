package typemap

import (
	"cmp"
	"slices"
	"sort"

	"laggard/analysis/usage/recorded"
	"laggard/internal/bound"
)

// Layout is the typemap of a datatype (MPI-3.1 §4.1), or of a number of its
// elements: the sequence of basic types and where their bytes are. It is kept as
// nested repetitions, so that its size is that of the calls that made the type,
// however much data it describes.
type Layout struct {
	// Elements and Bytes count the basic elements and their bytes. Bytes with
	// Elements 0 are of a type whose contents are not known.
	Elements, Bytes int64
	// The bytes are in [Lo, Hi), relative to the buffer.
	Lo, Hi int64

	basic  string // of a leaf: the basic type
	hash   uint64 // of the type signature, see signature.go
	name   string // what the level is called in a path
	count  int64  // repetitions of parts; 0 a leaf
	stride int64  // bytes from one repetition to the next
	parts  []placed
	byLow  []placed // the parts by their first byte
	widest int64    // bytes from the first to the last of a part, at most
	unit   Span     // of one repetition
	opaque bool     // some of it is not known
}

// placed is a part of a Layout and where it begins.
type placed struct {
	at     int64
	layout *Layout
}

// Span returns the bytes from the first to the last, relative to the buffer.
func (l *Layout) Span() Span { return Span{l.Lo, l.Hi} }

// IsKnown reports whether all basic types of the layout are known.
func (l *Layout) IsKnown() bool { return !l.opaque }

func (p placed) span() Span { return p.layout.Span().Shift(p.at) }

func (l *Layout) isDense() bool { return l.Bytes >= l.Hi-l.Lo }

func basicLayout(name string, size int64) *Layout {
	return &Layout{Elements: 1, Bytes: size, Hi: size, basic: name, hash: basicHash(name)}
}

// opaqueLayout is a layout of which only the bounds are known.
func opaqueLayout(d *recorded.Datatype) *Layout {
	return &Layout{Bytes: d.Size, Lo: d.TrueLB, Hi: d.TrueLB + d.TrueExtent, opaque: true}
}

// repeatLayout returns count repetitions of parts, stride bytes apart.
func repeatLayout(name string, count, stride int64, parts ...placed) *Layout {
	l := &Layout{name: name, count: count, stride: stride}
	var unitElements int64
	var unitHash uint64
	for _, p := range parts {
		if p.layout.Bytes == 0 && p.layout.Elements == 0 {
			continue
		}
		l.parts = append(l.parts, p)
		s := p.span()
		l.widest = max(l.widest, s.Hi-s.Lo)
		if len(l.parts) == 1 {
			l.unit = s
		}
		l.unit = l.unit.Union(s)
		unitHash = joinHash(unitHash, p.layout.hash, p.layout.Elements)
		unitElements += p.layout.Elements
		l.Bytes += p.layout.Bytes
		l.opaque = l.opaque || p.layout.opaque
	}
	if count <= 0 || len(l.parts) == 0 {
		return &Layout{name: name}
	}
	l.byLow = l.parts
	low := func(p, q placed) int { return cmp.Compare(p.span().Lo, q.span().Lo) }
	if !slices.IsSortedFunc(l.parts, low) {
		l.byLow = slices.Clone(l.parts)
		slices.SortStableFunc(l.byLow, low)
	}
	last := (count - 1) * stride
	l.Lo, l.Hi = l.unit.Lo+min(0, last), l.unit.Hi+max(0, last)
	l.Bytes *= count
	l.Elements = unitElements * count
	l.hash = repeatHash(unitHash, unitElements, count)
	return l
}

// Overlap returns bytes that l at address a and m at address b share, empty if there are
// none. Gaps do not count. What would take too long to compare is taken as apart.
func (l *Layout) Overlap(a int64, m *Layout, b int64) Span {
	return findOverlap(l, a, m, b, bound.New(maxLevels, maxSteps))
}

// Bounds of a comparison of two layouts.
const (
	maxLevels = 1024 // of layouts in each other; those that recorded types have are fewer
	maxSteps  = 1 << 20
)

func findOverlap(l *Layout, a int64, m *Layout, b int64, budget *bound.Budget) Span {
	shared := l.Span().Shift(a).Intersect(m.Span().Shift(b))
	if !budget.Enter() {
		return Span{}
	}
	defer budget.Leave()
	if l.Bytes == 0 || m.Bytes == 0 || shared.Empty() {
		return Span{}
	}
	switch {
	case l.isDense() && m.isDense():
		return shared
	case l.opaque && l.count == 0 || m.opaque && m.count == 0:
		return Span{} // bounds alone say nothing of gaps
	case m.isDense() || !l.isDense() && l.Hi-l.Lo >= m.Hi-m.Lo:
		return overlapParts(l, a, m, b, budget)
	}
	return overlapParts(m, b, l, a, budget)
}

// overlapParts compares those parts of l that reach into m.
func overlapParts(l *Layout, a int64, m *Layout, b int64, budget *bound.Budget) Span {
	first, last := l.repetitionsReaching(m.Span().Shift(b - a))
	for i := first; i <= last && !budget.Exceeded(); i++ {
		at := a + i*l.stride
		for _, p := range l.partsReaching(m.Span().Shift(b - at)) {
			if s := findOverlap(p.layout, at+p.at, m, b, budget); !s.Empty() {
				return s
			}
		}
	}
	return Span{}
}

// partsReaching returns the parts of one repetition that may reach into s, by their first byte.
func (l *Layout) partsReaching(s Span) []placed {
	first := sort.Search(len(l.byLow), func(i int) bool { return l.byLow[i].span().Lo > s.Lo-l.widest })
	rest := l.byLow[first:]
	return rest[:sort.Search(len(rest), func(i int) bool { return rest[i].span().Lo >= s.Hi })]
}

// repetitionsReaching returns the repetitions that may reach into s, first to last.
func (l *Layout) repetitionsReaching(s Span) (first, last int64) {
	first, last = 0, l.count-1
	stride := l.stride
	if stride == 0 {
		return first, last
	}
	// Repetition i covers unit + i·stride: unit.lo + i·stride < s.hi and unit.hi + i·stride > s.lo.
	low, high := s.Lo-l.unit.Hi, s.Hi-l.unit.Lo // low < i·stride < high
	if stride < 0 {
		low, high, stride = -high, -low, -stride
	}
	return max(first, floorDiv(low, stride)), min(last, floorDiv(high, stride)+1)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && a < 0 {
		q--
	}
	return q
}

// SelfOverlap returns bytes that the layout has more than once, which a receive must not
// (MPI-3.1 §4.1.11), relative to the buffer; empty if there are none.
func (l *Layout) SelfOverlap() Span {
	return l.findSelfOverlap(bound.New(maxLevels, maxSteps))
}

func (l *Layout) findSelfOverlap(budget *bound.Budget) Span {
	if !budget.Enter() {
		return Span{}
	}
	defer budget.Leave()
	for i, p := range l.byLow {
		if s := p.layout.findSelfOverlap(budget); !s.Empty() {
			return s.Shift(p.at)
		}
		for _, q := range l.byLow[i+1:] {
			if budget.Exceeded() || q.span().Lo >= p.span().Hi {
				break
			}
			if s := findOverlap(p.layout, p.at, q.layout, q.at, budget); !s.Empty() {
				return s
			}
		}
	}
	if l.count < 2 {
		return Span{}
	}
	return l.repeatsOverlap(budget)
}

// repeatsOverlap compares one repetition with those that begin within its span.
func (l *Layout) repeatsOverlap(budget *bound.Budget) Span {
	step, length := l.stride, l.unit.Hi-l.unit.Lo
	if step < 0 {
		step = -step
	}
	for i := int64(1); i < l.count && i*step < length && !budget.Exceeded(); i++ {
		for _, p := range l.parts {
			for _, q := range l.partsReaching(p.span().Shift(-i * l.stride)) {
				if s := findOverlap(p.layout, p.at, q.layout, q.at+i*l.stride, budget); !s.Empty() {
					return s
				}
			}
		}
	}
	return Span{}
}
