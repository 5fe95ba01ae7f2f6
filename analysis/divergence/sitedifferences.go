package divergence

import "slices"

// SiteDifference is a collective that two sides made alike, but from different places of the
// program.
type SiteDifference struct {
	Own, Theirs *Call
	// Before is the collective before it, which the line made; nil: it is not kept.
	Before *Call
	// NextOwn and NextTheirs are what each side made behind it; nil where that side has
	// made it before, as in an iteration of a loop that it may come to again.
	NextOwn, NextTheirs *Call
}

// SiteDifferences lists the collectives before the first that differs which the first odd line
// and the others made from different places, up to the last one that they made from
// the same place; the latest first. Alike as they are, the ways may have parted there.
func (d *Divergence) SiteDifferences() []SiteDifference {
	o := &d.Odd[0]
	mine, theirs := o.callsFrom(o.After+1), d.Common.callsFrom(o.After+1)
	if mine == nil || theirs == nil {
		return nil
	}
	var out []SiteDifference
	for n := o.After; n > 0; n-- {
		own, other := o.callsFrom(n), d.Common.callsFrom(n)
		if own == nil || other == nil || !own[0].otherSite(&other[0]) {
			break
		}
		step := SiteDifference{Own: &own[0], Theirs: &other[0], NextOwn: o.firstFromSite(n + 1), NextTheirs: d.Common.firstFromSite(n + 1)}
		if before := o.callsFrom(n - 1); n > 1 && before != nil {
			step.Before = &before[0]
		}
		out = append(out, step)
	}
	return out
}

// firstFromSite returns call number n, where that is the first from its place that is kept.
func (l *Line) firstFromSite(n uint64) *Call {
	call := &l.callsFrom(n)[0]
	if slices.ContainsFunc(l.callsBefore(n), func(c Call) bool { return c.sameSite(call) }) {
		return nil
	}
	return call
}
