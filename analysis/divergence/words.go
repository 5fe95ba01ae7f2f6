package divergence

import (
	"cmp"
	"fmt"
	"strings"

	"laggard/model"
)

// Functions lists the functions of calls: "MPI_Bcast and MPI_Barrier", "MPI_Bcast 3
// times".
func Functions(calls []Call) string {
	var out []string
	for i := 0; i < len(calls); {
		n := 1
		for i+n < len(calls) && calls[i+n].Function() == calls[i].Function() {
			n++
		}
		name := calls[i].Function()
		if n > 1 {
			name += fmt.Sprintf(" %d times", n)
		}
		out, i = append(out, name), i+n
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}

// Difference says by which arguments a call differs from another one.
func Difference(c, other *Call) string {
	var out []string
	if c.Root != other.Root {
		out = append(out, fmt.Sprintf("with root %d", c.Root))
	}
	if c.Op != other.Op {
		out = append(out, "with "+c.Op)
	}
	if c.Bytes != other.Bytes {
		out = append(out, fmt.Sprintf("with %d bytes", c.Bytes))
	}
	return strings.Join(out, ", ")
}

// Before returns the last call that the odd line and the others have in common;
// nil: it is not kept.
func (o *Odd) Before() *Call {
	if calls := o.callsFrom(o.After); calls != nil {
		return &calls[0]
	}
	return nil
}

// LastShared is the state of the last call that the odd line and the others have in common, as far as it is known; nil: it is not.
func (o *Odd) LastShared() *model.State {
	if last := cmp.Or(o.Before(), o.Shared); last != nil {
		return last.State
	}
	return nil
}

// Next returns the first call of the odd line behind that; nil: there is none, or it is not kept.
func (o *Odd) Next() *Call {
	if calls := o.callsFrom(o.After + 1); calls != nil {
		return &calls[0]
	}
	return nil
}

// Ways returns two calls between which the ways parted: one that one side made, and
// the one that the other side made in its place; nil where they are not known.
func (o *Odd) Ways() (made, other *Call) {
	switch {
	case len(o.Calls) == 0 || len(o.Theirs) == 0:
		return nil, nil
	case o.Kind == Extra || o.Kind == LoopCount && !o.Fewer:
		return &o.Calls[0], &o.Theirs[0]
	}
	return &o.Theirs[0], o.Own()
}

// Own returns the line's own first call that differs; nil: it made none.
func (o *Odd) Own() *Call {
	if calls := o.callsFrom(o.Number); calls != nil {
		return &calls[0]
	}
	if o.Fewer || len(o.Calls) == 0 {
		return o.Instead
	}
	return &o.Calls[0]
}

// Now returns the latest call of the line.
func (l *Line) Now() *Call {
	if len(l.Latest) == 0 {
		return nil
	}
	return &l.Latest[len(l.Latest)-1]
}
