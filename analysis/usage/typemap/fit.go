package typemap

import "fmt"

// Fit is whether data fits the buffer that it is moved into.
type Fit uint8

const (
	Fits    Fit = iota + 1
	Differs     // an element has another basic type (MPI-3.1 §3.3.1)
	TooLong     // the buffer has fewer elements (MPI-3.1 §3.2.4)
)

// FitInto compares what is sent with the layout that it is received into. What is packed fits every
// type, and so does what is not known.
func (l *Layout) FitInto(taken *Layout) Fit {
	if !l.IsKnown() || !taken.IsKnown() || l.Elements == 0 {
		return Fits
	}
	packed := func(l *Layout) bool { return l.OnlyType() == "MPI_PACKED" }
	if packed(l) != packed(taken) && taken.Elements > 0 {
		return Fits
	}
	if _, differ := l.FirstDifference(taken); differ {
		return Differs
	}
	if l.Elements > taken.Elements {
		return TooLong
	}
	return Fits
}

// Amount writes how much data a layout has.
func (l *Layout) Amount() string {
	if one := l.OnlyType(); one != "" {
		return fmt.Sprintf("%d %s (%d bytes)", l.Elements, one, l.Bytes)
	}
	return fmt.Sprintf("%d elements (%d bytes)", l.Elements, l.Bytes)
}
