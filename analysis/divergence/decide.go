package divergence

import "laggard/slicing"

// Decide corrects how the first odd line left the others by what the code allows, and
// reports whether that changed anything. loop: the branch that decided is that of a loop.
func (d *Divergence) Decide(ways slicing.Ways, loop bool) bool {
	if o := &d.Odd[0]; o.Kind != Order || o.Other == 0 || len(d.Odd) > 1 {
		return o.decideWithinComm(ways, loop)
	}
	return d.decideAcross(ways, loop)
}

// decideAcross tells of calls on two communicators which leads to the other: who is at
// the first one comes to the second, too, unless it was not meant to make the first.
func (d *Divergence) decideAcross(ways slicing.Ways, loop bool) bool {
	o := &d.Odd[0]
	switch {
	case ways.Before: // the others' call leads to its own
		d.skipAcross()
	case ways.After:
		o.Kind = Extra
	default:
		return false
	}
	o.Other = 0
	if loop {
		o.Kind = LoopCount
	}
	return true
}

// skipAcross says that the line left out the others' call, on their communicator, instead of making its own in addition.
func (d *Divergence) skipAcross() {
	o := &d.Odd[0]
	own := o.Calls[0]
	d.swapComms(o.Theirs[0].Number)
	o.Kind, o.Calls, o.Fewer, o.Instead = Skipped, o.Theirs, true, &own
}

// swapComms tells of the other communicator, from a collective on.
func (d *Divergence) swapComms(number uint64) {
	o := &d.Odd[0]
	d.On, d.OtherOn = d.OtherOn, d.On
	d.Comm, d.Kind = d.On.ID, d.On.Kind
	o.Number, o.After = number, number-1
	o.Latest, o.Marks = nil, nil // they are of the one before
}

// TurnMissing says that the other one of the two calls is missing; not that a call for a message was made in addition, which is no
// collective.
func (d *Divergence) TurnMissing() {
	o := &d.Odd[0]
	if o.isInMessage() {
		return
	}
	switch {
	case d.OtherOn.ID == 0:
		o.turnMissing()
	case o.Fewer:
		own := *o.Instead
		d.swapComms(own.Number)
		o.Kind, o.Calls, o.Fewer, o.Instead = Extra, []Call{own}, false, nil
	default:
		d.skipAcross()
	}
	o.Repeats, o.Looped = false, false
}

// decideWithinComm is Decide for calls of one communicator.
//
// Where calls never came in turn before, the code tells which leads to which. Calls
// alone do not tell a call that was skipped from one that was made again, if
// both come in turn; nor the last iteration of a loop from a call that was skipped in
// it; nor a call that stands in the place of another one from a skipped one.
func (o *Odd) decideWithinComm(ways slicing.Ways, loop bool) bool {
	before, fewer := o.Kind, o.Fewer
	own := o.Own()
	if o.Kind == Extra && o.OthersAwaitMessage() {
		// A call behind that of the others was not made in addition: they come to it, too.
		if ways.After {
			o.Kind, o.Calls, o.Fewer = Skipped, o.Theirs, true
			if ways.Again {
				o.Kind = LoopCount
			}
		}
		return o.Kind != before
	}
	if o.Kind == Mismatch && o.Other == 0 && own != nil && len(o.Theirs) > 0 {
		switch {
		case ways.Before:
			o.Kind, o.Calls, o.Fewer = Skipped, o.Theirs[:1], true
		case ways.After && !o.isInMessage():
			o.Kind, o.Calls, o.Fewer = Extra, []Call{*own}, false
		}
		o.Repeats = o.Kind != Mismatch && o.Calls[0].sameSite(o.Before())
		o.Usual = true
	}
	switch {
	case o.Kind != Skipped && o.Kind != Extra && o.Kind != LoopCount || own == nil || len(o.Theirs) == 0:
	case o.AgreeAfterShift == 0 && !o.Usual && o.Other == 0 && ways.Apart && o.Number == own.Number:
		o.Kind, o.Calls, o.Fewer, o.Repeats = Mismatch, []Call{*own}, false, false
	case o.Unsure && ways.Again && !ways.Passed: // its own is that before once more
		o.Kind, o.Calls, o.Fewer, o.Repeats = LoopCount, []Call{*own}, false, true
	case o.Repeats && loop:
		o.Kind = LoopCount
	case o.Kind == LoopCount && o.Fewer:
		o.Kind = Skipped
	case o.Kind == LoopCount:
		o.Kind = Extra
	}
	return o.Kind != before || o.Fewer != fewer
}

// isInMessage reports whether the line is in a call for a message instead of the others' collective.
func (o *Odd) isInMessage() bool {
	return o.Instead != nil && o.Instead.Number == 0 && !o.WentToFinalize()
}

// OthersAwaitMessage reports whether the others are in no collective, but in a call for a message.
func (o *Odd) OthersAwaitMessage() bool { return len(o.Theirs) > 0 && o.Theirs[0].Number == 0 }

// Undecided reports whether a branch that is not that of a loop says nothing: where
// both calls have followed the one before, what decides between them is no fault.
func (o *Odd) Undecided(loop bool) bool { return o.Looped && !loop }

// InCollective reports whether ranks parted in the collectives that they made, at the first of some divergences; not who left
// others that wait for messages.
func InCollective(all []Divergence) bool { return len(all) > 0 && !all[0].Odd[0].OthersAwaitMessage() }
