package divergence

import (
	"cmp"

	"laggard/model"
)

// Elsewhere is what a rank does instead of the collective that others wait for it
// in.
type Elsewhere struct {
	Kind Kind // how it left them: ErrorPath, Skipped
	Call Call
	// Fault: it did not leave by what it does in good runs, as by an exception that ended its program.
	Fault bool
}

// FindEarlyLeavers returns the communicators on which some members made no further collective
// and went elsewhere, while others wait in the next one. elsewhere says what a rank
// does instead of that collective; nil: nothing that is known. Histories that part
// are for Find.
func FindEarlyLeavers(comms []Comm, elsewhere func(rank int, comm, number uint64) *Elsewhere) []Divergence {
	var out []Divergence
	for i := range comms {
		if c := &comms[i]; len(c.Lines) > 1 && c.agreesBy(callsOf) {
			if d := c.findLeavers(elsewhere); d != nil {
				out = append(out, *d)
			}
		}
	}
	return out
}

func (c *Comm) findLeavers(elsewhere func(rank int, comm, number uint64) *Elsewhere) *Divergence {
	longest := c.longestLine()
	d := &Divergence{Comm: c.ID, Kind: c.Kind, Common: *longest}
	faults := false
	for i := range c.Lines {
		l := &c.Lines[i]
		next := longest.callsFrom(l.Last() + 1)
		if l.Last() == longest.Last() || next == nil {
			continue
		}
		var gone model.RankSet
		var instead *Elsewhere
		l.Ranks.Each(func(rank int) {
			if e := elsewhere(rank, c.ID, l.Last()+1); e != nil {
				gone.Add(rank)
				instead = cmp.Or(instead, e)
				faults = faults || e.Fault
			}
		})
		if gone.Len() == 0 {
			continue
		}
		odd := Odd{Deviation{
			Kind: instead.Kind, Number: l.Last() + 1, After: l.Last(),
			Calls: next[:1], Fewer: true, Theirs: next[:1], Instead: &instead.Call,
		}, *l}
		odd.Ranks = gone
		d.addLeaver(odd)
	}
	if len(d.Odd) == 0 {
		return nil
	}
	d.setAgreeing(c.Lines, longest)
	if !faults {
		d.preferMajority()
	}
	return d
}

// addLeaver adds ranks that left; those of another line that left at the same call in the
// same way, which another place that they came through tells apart, count as one.
func (d *Divergence) addLeaver(odd Odd) {
	for i := range d.Odd {
		if o := &d.Odd[i]; o.Number == odd.Number && o.Kind == odd.Kind {
			o.Ranks = o.Ranks.Union(odd.Ranks)
			return
		}
	}
	d.Odd = append(d.Odd, odd)
}

// preferMajority: where more members went elsewhere than stayed, those that stayed are the
// odd ones, and made a call more.
func (d *Divergence) preferMajority() {
	gone := d.Odd[0]
	if len(d.Odd) > 1 || gone.Ranks.Len() <= d.Agree.Len() {
		return
	}
	stayed := d.Common
	d.Odd[0] = Odd{Deviation{
		Kind: Extra, Number: gone.Number, After: gone.After, Calls: gone.Theirs, Theirs: []Call{*gone.Instead},
	}, stayed}
	d.Odd[0].Ranks = d.Agree
	d.Common, d.Agree, d.Majority = gone.Line, gone.Ranks, true
}

// LeftMessageWaiters is how some ranks left others that wait for messages, where all have begun as
// many collectives on a communicator: each side by the call that it is in.
func LeftMessageWaiters(comm uint64, kind model.CommKind, begun uint64, gone, stay model.RankSet, in, theirs Call) Divergence {
	return Divergence{
		Comm: comm, Kind: kind, Agree: stay, Majority: stay.Len() > gone.Len(),
		Odd: []Odd{{Deviation{
			Kind: ErrorPath, Number: begun + 1, After: begun,
			Calls: []Call{theirs}, Fewer: true, Theirs: []Call{theirs}, Instead: &in,
		}, Line{Ranks: gone}}},
	}
}

// longestLine is the line of most calls.
func (c *Comm) longestLine() *Line {
	best := &c.Lines[0]
	for i := range c.Lines {
		if c.Lines[i].Last() > best.Last() {
			best = &c.Lines[i]
		}
	}
	return best
}
