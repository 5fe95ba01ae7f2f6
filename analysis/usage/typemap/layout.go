package typemap

import "laggard/analysis/usage/recorded"

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
	unit   Span // of one repetition
	opaque bool // some of it is not known
}

// placed is a part of a Layout and where it begins.
type placed struct {
	at     int64
	layout *Layout
}

// Span returns the bytes from the first to the last, relative to the buffer.
func (l *Layout) Span() Span { return Span{l.Lo, l.Hi} }

// Known reports whether all basic types of the layout are known.
func (l *Layout) Known() bool { return !l.opaque }

func (l *Layout) dense() bool { return l.Bytes >= l.Hi-l.Lo }

func leaf(name string, size int64) *Layout {
	return &Layout{Elements: 1, Bytes: size, Hi: size, basic: name, hash: basicHash(name)}
}

// opaque is a layout of which only the bounds are known.
func opaque(d *recorded.Datatype) *Layout {
	return &Layout{Bytes: d.Size, Lo: d.TrueLB, Hi: d.TrueLB + d.TrueExtent, opaque: true}
}

// repeated returns count repetitions of parts, stride bytes apart.
func repeated(name string, count, stride int64, parts ...placed) *Layout {
	l := &Layout{name: name, count: count, stride: stride}
	var unitElements int64
	var unitHash uint64
	for _, p := range parts {
		if p.layout.Bytes == 0 && p.layout.Elements == 0 {
			continue
		}
		l.parts = append(l.parts, p)
		s := p.layout.Span().Shift(p.at)
		if len(l.parts) == 1 {
			l.unit = s
		}
		l.unit = l.unit.Union(s)
		unitHash = join(unitHash, p.layout.hash, p.layout.Elements)
		unitElements += p.layout.Elements
		l.Bytes += p.layout.Bytes
		l.opaque = l.opaque || p.layout.opaque
	}
	if count <= 0 || len(l.parts) == 0 {
		return &Layout{name: name}
	}
	last := (count - 1) * stride
	l.Lo, l.Hi = l.unit.Lo+min(0, last), l.unit.Hi+max(0, last)
	l.Bytes *= count
	l.Elements = unitElements * count
	l.hash = repeatHash(unitHash, unitElements, count)
	return l
}

// Overlaps reports whether l at address a and m at address b share a byte. Gaps
// do not count. What would take too long to compare is taken as apart.
func (l *Layout) Overlaps(a int64, m *Layout, b int64) bool {
	budget := maxSteps
	return overlap(l, a, m, b, &budget)
}

// maxSteps bounds a comparison of two layouts.
const maxSteps = 1 << 20

func overlap(l *Layout, a int64, m *Layout, b int64, budget *int) bool {
	if *budget--; *budget < 0 || l.Bytes == 0 || m.Bytes == 0 || !l.Span().Shift(a).Overlaps(m.Span().Shift(b)) {
		return false
	}
	switch {
	case l.dense() && m.dense():
		return true
	case l.opaque && l.count == 0 || m.opaque && m.count == 0:
		return false // bounds alone say nothing of gaps
	case m.dense() || !l.dense() && l.Hi-l.Lo >= m.Hi-m.Lo:
		return overlapParts(l, a, m, b, budget)
	}
	return overlapParts(m, b, l, a, budget)
}

// overlapParts compares those parts of l that reach into m.
func overlapParts(l *Layout, a int64, m *Layout, b int64, budget *int) bool {
	first, last := l.within(m.Span().Shift(b - a))
	for i := first; i <= last && *budget >= 0; i++ {
		for _, p := range l.parts {
			if overlap(p.layout, a+i*l.stride+p.at, m, b, budget) {
				return true
			}
		}
	}
	return false
}

// within returns the repetitions that may reach into s, first to last.
func (l *Layout) within(s Span) (first, last int64) {
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

// Twice reports whether the layout has a byte twice, which a receive must not
// (MPI-3.1 §4.1.11).
func (l *Layout) Twice() bool {
	budget := maxSteps
	return l.twice(&budget)
}

func (l *Layout) twice(budget *int) bool {
	for i, p := range l.parts {
		if p.layout.twice(budget) {
			return true
		}
		for _, q := range l.parts[:i] {
			if *budget < 0 {
				return false
			}
			if overlap(p.layout, p.at, q.layout, q.at, budget) {
				return true
			}
		}
	}
	return l.count > 1 && l.repeatsOverlap(budget)
}

// repeatsOverlap compares one repetition with those that begin within its span.
func (l *Layout) repeatsOverlap(budget *int) bool {
	step, length := l.stride, l.unit.Hi-l.unit.Lo
	if step < 0 {
		step = -step
	}
	for i := int64(1); i < l.count && i*step < length && *budget >= 0; i++ {
		for _, p := range l.parts {
			for _, q := range l.parts {
				if overlap(p.layout, p.at, q.layout, q.at+i*l.stride, budget) {
					return true
				}
			}
		}
	}
	return false
}
