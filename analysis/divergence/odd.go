package divergence

import (
	"cmp"

	"laggard/model"
)

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

// OtherWays returns the two calls of Ways the other way round, where only the order of earlier calls tells which of them is missing;
// else nil.
func (o *Odd) OtherWays() (made, other *Call) {
	if o.Kind != Skipped && o.Kind != Extra && o.Kind != LoopCount || o.AgreeAfterShift > 0 || o.Other != 0 || o.OthersAwaitMessage() {
		return nil, nil
	}
	made, other = o.Ways()
	return other, made
}

// turnMissing is TurnMissing for calls of one communicator.
func (o *Odd) turnMissing() {
	own := o.Own()
	if o.Fewer {
		o.Kind, o.Calls, o.Fewer = Extra, []Call{*own}, false
	} else {
		o.Kind, o.Calls, o.Fewer = Skipped, o.Theirs[:1], true
	}
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

// DiffersInSize reports whether the line's first call that differs does so by its bytes alone.
func (o *Odd) DiffersInSize() bool {
	own := o.Own()
	if o.Kind != Arguments || own == nil || len(o.Theirs) == 0 {
		return false
	}
	theirs := &o.Theirs[0]
	return own.Function() == theirs.Function() && own.Root == theirs.Root && own.Op == theirs.Op
}

// WentToFinalize reports whether the line went to MPI_Finalize instead of what the others called.
func (o *Odd) WentToFinalize() bool {
	return o.Kind == ErrorPath && o.Instead != nil && o.Instead.Function() == "MPI_Finalize"
}

// Now returns the latest call of the line.
func (l *Line) Now() *Call {
	if len(l.Latest) == 0 {
		return nil
	}
	return &l.Latest[len(l.Latest)-1]
}
