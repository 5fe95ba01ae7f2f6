package typemap

// Span is a range of bytes, from Lo up to but not including Hi.
type Span struct{ Lo, Hi int64 }

// Empty reports whether the span has no byte.
func (s Span) Empty() bool { return s.Lo >= s.Hi }

// Shift returns the span moved by a number of bytes.
func (s Span) Shift(by int64) Span { return Span{s.Lo + by, s.Hi + by} }

// Overlaps reports whether the spans share a byte.
func (s Span) Overlaps(o Span) bool { return s.Lo < o.Hi && o.Lo < s.Hi }

// Union returns the smallest span that contains both.
func (s Span) Union(o Span) Span { return Span{min(s.Lo, o.Lo), max(s.Hi, o.Hi)} }

// Intersect returns the bytes that the spans share; it is Empty if there are none.
func (s Span) Intersect(o Span) Span { return Span{max(s.Lo, o.Lo), min(s.Hi, o.Hi)} }
