package divergence

import "laggard/model"

// Elsewhere is what a rank does instead of the collective that others wait for it
// in.
type Elsewhere struct {
	Kind Kind // how it left them: ErrorPath, Skipped
	Call Call
}

// Left returns the communicators on which some members made no further collective
// and went elsewhere, while others wait in the next one. elsewhere says what a rank
// does instead of that collective; nil: nothing that is known. Histories that part
// are for Find.
func Left(comms []Comm, elsewhere func(rank int, comm, number uint64) *Elsewhere) []Divergence {
	var out []Divergence
	for i := range comms {
		if c := &comms[i]; len(c.Lines) > 1 && c.agrees(callsOf) {
			if d := c.left(elsewhere); d != nil {
				out = append(out, *d)
			}
		}
	}
	return out
}

func (c *Comm) left(elsewhere func(rank int, comm, number uint64) *Elsewhere) *Divergence {
	longest := c.longest()
	d := &Divergence{Comm: c.ID, Kind: c.Kind, Common: *longest}
	for i := range c.Lines {
		l := &c.Lines[i]
		next := longest.from(l.Last() + 1)
		if l.Last() == longest.Last() || next == nil {
			continue
		}
		var gone model.RankSet
		var instead *Elsewhere
		l.Ranks.Each(func(rank int) {
			if e := elsewhere(rank, c.ID, l.Last()+1); e != nil {
				gone.Add(rank)
				instead = e
			}
		})
		if gone.Len() == 0 {
			continue
		}
		odd := Odd{Parting{
			Kind: instead.Kind, Number: l.Last() + 1, After: l.Last(),
			Calls: next[:1], Fewer: true, Theirs: next[:1], Instead: &instead.Call,
		}, *l}
		odd.Ranks = gone
		d.leave(odd)
	}
	if len(d.Odd) == 0 {
		return nil
	}
	d.agreed(c.Lines, longest)
	d.turned()
	return d
}

// leave adds ranks that left; those of another line that left at the same call in the
// same way, which another place that they came through tells apart, count as one.
func (d *Divergence) leave(odd Odd) {
	for i := range d.Odd {
		if o := &d.Odd[i]; o.Number == odd.Number && o.Kind == odd.Kind {
			o.Ranks = o.Ranks.Union(odd.Ranks)
			return
		}
	}
	d.Odd = append(d.Odd, odd)
}

// turned: where more members went elsewhere than stayed, those that stayed are the
// odd ones, and made a call more.
func (d *Divergence) turned() {
	gone := d.Odd[0]
	if len(d.Odd) > 1 || gone.Ranks.Len() <= d.Agree.Len() {
		return
	}
	stayed := d.Common
	d.Odd[0] = Odd{Parting{
		Kind: Extra, Number: gone.Number, After: gone.After, Calls: gone.Theirs, Theirs: []Call{*gone.Instead},
	}, stayed}
	d.Odd[0].Ranks = d.Agree
	d.Common, d.Agree, d.Majority = gone.Line, gone.Ranks, true
}

// Away is how some ranks left others that wait for messages, where all have begun as
// many collectives on a communicator: each side by the call that it is in.
func Away(comm uint64, kind model.CommKind, begun uint64, gone, stay model.RankSet, in, theirs Call) Divergence {
	return Divergence{
		Comm: comm, Kind: kind, Agree: stay, Majority: stay.Len() > gone.Len(),
		Odd: []Odd{{Parting{
			Kind: ErrorPath, Number: begun + 1, After: begun,
			Calls: []Call{theirs}, Fewer: true, Theirs: []Call{theirs}, Instead: &in,
		}, Line{Ranks: gone}}},
	}
}

// longest is the line of most calls.
func (c *Comm) longest() *Line {
	best := &c.Lines[0]
	for i := range c.Lines {
		if c.Lines[i].Last() > best.Last() {
			best = &c.Lines[i]
		}
	}
	return best
}
