package divergence

import (
	"cmp"
	"slices"

	"laggard/model"
)

// Comm is a communicator, window or file, and what its members began on it.
type Comm struct {
	ID      uint64
	Kind    model.CommKind
	Members model.RankSet // whose histories are known
	Lines   []Line
}

// Divergence is a communicator whose members did not begin the same collectives.
type Divergence struct {
	Comm uint64
	Kind model.CommKind
	// On is Comm, and OtherOn the communicator of the others where that is another one; zero while nobody has looked it up.
	On, OtherOn model.CommRef
	// Common is the line that the others are compared with: that of most members.
	// Agree are the members that follow it as far as the first odd one left it; who has
	// not come there is neither odd nor agrees.
	Common Line
	Agree  model.RankSet
	Odd    []Odd // the other lines, those that part first before the others
	// Majority: more members agree than are odd, or something else tells that these are at fault, so that the odd ones can be named.
	Majority bool
	// BetweenGroups: one group of an intercommunicator did something else than the other. Each has code of its own, so that
	// their numbers say nothing, and no branch decides between them.
	BetweenGroups bool
}

// Odd is a line that parts from the common one.
type Odd struct {
	Deviation
	Line
}

// Find returns the communicators whose members parted; nil: none. The one whose
// first difference came first in the program comes first. place names where in
// the source a call is.
func Find(comms []Comm, place func(*model.State) string) []Divergence {
	var out []Divergence
	known := map[model.StateID]string{}
	for i := range comms {
		if !comms[i].agreesBy(callsOf) || !comms[i].agreesBy(sitesOf) {
			comms[i].setPlaces(place, known)
		}
		if d := comms[i].findDivergence(); d != nil {
			out = append(out, *d)
		}
	}
	slices.SortStableFunc(out, func(a, b Divergence) int {
		return cmp.Or(cmp.Compare(a.programOrder(), b.programOrder()), cmp.Compare(a.Comm, b.Comm))
	})
	return out
}

// programOrder is where, among all collectives of an odd process, it parted; unknown
// places come last.
func (d *Divergence) programOrder() uint64 {
	calls := d.Odd[0].callsFrom(d.Odd[0].Number)
	if calls == nil || d.Odd[0].Kind == Earlier {
		return 1 << 32
	}
	return uint64(calls[0].Order)
}

// callsOf and sitesOf are the hashes that histories are compared by.
func callsOf(m model.Mark) uint64 { return m.Calls }
func sitesOf(m model.Mark) uint64 { return m.Sites }

// agreesBy reports whether, by one of the hashes, all histories are the beginning of one,
// which is so nearly always.
func (c *Comm) agreesBy(hash func(model.Mark) uint64) bool {
	if len(c.Lines) == 0 {
		return true
	}
	longest := c.longestLine()
	for i := range c.Lines {
		if _, after := bracketDifference(longest, &c.Lines[i], hash); after > 0 {
			return false
		}
	}
	return true
}

// setPlaces names the places of all calls.
func (c *Comm) setPlaces(place func(*model.State) string, known map[model.StateID]string) {
	for i := range c.Lines {
		for k := range c.Lines[i].Latest {
			call := &c.Lines[i].Latest[k]
			if call.State == nil {
				continue
			}
			if _, is := known[call.State.ID]; !is {
				known[call.State.ID] = place(call.State)
			}
			call.Place = known[call.State.ID]
		}
	}
}

func (c *Comm) findDivergence() *Divergence {
	if len(c.Lines) < 2 {
		return nil
	}
	d := &Divergence{Comm: c.ID, Kind: c.Kind}
	common := c.commonLine()
	d.Common = *common
	for i := range c.Lines {
		l := &c.Lines[i]
		p := compareLines(l, common)
		if p != nil {
			d.Odd = append(d.Odd, Odd{*p, *l})
		}
	}
	if len(d.Odd) == 0 {
		return nil
	}
	d.sortOdd()
	d.setAgreeing(c.Lines, common)
	return d
}

// sortOdd puts the lines first that part first.
func (d *Divergence) sortOdd() {
	slices.SortStableFunc(d.Odd, func(a, b Odd) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Ranks.Min(), b.Ranks.Min()))
	})
}

// setAgreeing finds who follows the common line as far as the first odd one left it.
func (d *Divergence) setAgreeing(lines []Line, common *Line) {
	odd := 0
	for i := range d.Odd {
		odd += d.Odd[i].Ranks.Len()
	}
	for i := range lines {
		if l := &lines[i]; l.Last() >= d.Odd[0].Number && compareLines(l, common) == nil {
			d.Agree = d.Agree.Union(l.Ranks)
		}
	}
	d.Majority = d.Agree.Len() > odd
}

// commonLine is the line that most members have begun, of those that nobody has followed
// further. The longest of equals, then that of the lowest rank.
func (c *Comm) commonLine() *Line {
	best, most := &c.Lines[0], -1
	for i := range c.Lines {
		l, n, last := &c.Lines[i], 0, true
		for j := range c.Lines {
			if other := &c.Lines[j]; compareLines(other, l) == nil {
				n += other.Ranks.Len()
				last = last && other.Last() <= l.Last()
			}
		}
		if last && cmp.Or(cmp.Compare(n, most), cmp.Compare(l.Last(), best.Last()),
			cmp.Compare(best.Ranks.Min(), l.Ranks.Min())) > 0 {
			best, most = l, n
		}
	}
	return best
}
