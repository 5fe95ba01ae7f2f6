package divergence

import "laggard/model"

// FindShifted returns the communicators whose members made collectives that match, from different places of the program, until some
// wait in one that the others have made already, as an earlier one: what matched was not meant for each other. waits tells whether a rank
// waits in a collective. Such a difference in places alone proves less, and is for ranks that hang; see [Find].
func FindShifted(comms []Comm, waits func(rank int, comm, number uint64) bool) []Divergence {
	var out []Divergence
	for i := range comms {
		if c := &comms[i]; len(c.Lines) > 1 && c.agreesBy(callsOf) && !c.agreesBy(sitesOf) {
			if d := c.findShifted(waits); d != nil {
				out = append(out, *d)
			}
		}
	}
	return out
}

func (c *Comm) findShifted(waits func(rank int, comm, number uint64) bool) *Divergence {
	common := c.commonLine()
	d := &Divergence{Comm: c.ID, Kind: c.Kind, Common: *common}
	var others []Line
	for i := range c.Lines {
		l := &c.Lines[i]
		p, further := shiftOfSites(l, common), common
		if l.Last() > common.Last() {
			further = l
		}
		last := further.Last()
		waiting := func(rank int) bool { return waits(rank, c.ID, last) }
		if p == nil || l.Last() == common.Last() || !anyRank(further.Ranks, waiting) {
			others = append(others, *l)
			continue
		}
		d.Odd = append(d.Odd, Odd{*p, *l})
	}
	if len(d.Odd) == 0 {
		return nil
	}
	d.sortOdd()
	d.setAgreeing(others, common)
	d.nameFewer()
	return d
}

// nameFewer turns a difference round where most members made fewer calls than those that went furthest: these made one more.
func (d *Divergence) nameFewer() {
	if len(d.Odd) > 1 || d.Odd[0].Ranks.Len() <= d.Agree.Len() {
		return
	}
	d.turnBy(shiftOfSites)
}

// Turn names the other side, where one line is odd: what that began becomes what the others are compared with. It does nothing if
// they do not differ that way round.
func (d *Divergence) Turn() { d.turnBy(compareLines) }

// turnBy is Turn by one way to compare a line with a common one.
func (d *Divergence) turnBy(compare func(l, common *Line) *Deviation) {
	few, many := d.Common, d.Odd[0].Line
	few.Ranks = d.Agree
	if p := compare(&few, &many); p != nil {
		d.Common, d.Agree, d.Odd, d.Majority = many, many.Ranks, []Odd{{*p, few}}, true
	}
}

// anyRank reports whether one of some ranks is so.
func anyRank(ranks model.RankSet, is func(rank int) bool) (found bool) {
	ranks.Each(func(rank int) { found = found || is(rank) })
	return found
}
