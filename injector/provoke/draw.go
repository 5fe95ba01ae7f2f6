package provoke

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"laggard/model/mpi"
)

// Bounds of what is drawn.
const (
	shortestLongest = 20 * time.Millisecond // of the longest delay
	longestUsual    = time.Second           // of the longest delay in most schedules
	longestLongest  = 4 * time.Second       // and in the others
	mostLate        = 8                     // ranks that one schedule has late at one place
	starvedCalls    = 24                    // of a starved rank that are held back, about
	anyOrder        = 2                     // of one-sided operations: as they were called, or backwards
	anyBuffer       = 2                     // of buffers: old data or a pattern; of MPI_Startall: sends or receives backwards
	anyValue        = 1 << 20               // of which sender, request or number of noes is drawn

	// Noes of a few successes of polls that are near to each other, so that what one decides is overtaken by another.
	fewNoes  = 128
	manyNoes = 4096
)

// Reference is what an unperturbed run showed.
type Reference struct {
	Took  time.Duration
	Quiet time.Duration // the longest standstill of a rank that ended by itself
	Ranks int
	Open  []*Open
	// Places are all calls by the keys of their sites.
	Places map[uint64]Place
}

// usual is how long most schedules hold a call back at most: a quarter of the run, within bounds.
func (r *Reference) usual() time.Duration {
	return min(max(r.Took/4, shortestLongest), longestUsual)
}

// Longest is the longest that any holds a call back, as some do a few calls: the run, within bounds, since a rank may have to be
// overtaken by others that compute for long.
func (r *Reference) Longest() time.Duration { return min(4*r.usual(), longestLongest) }

// Budget is how long the calls of one process may be held back in all: those of all ranks together ten times as long as
// the run.
func (r *Reference) Budget() time.Duration {
	return max(10*r.Took/time.Duration(max(r.Ranks, 1)), r.Longest())
}

// Kinds are the kinds of choices that are open somewhere.
func (r *Reference) Kinds() (all mpi.Choice) {
	for _, o := range r.Open {
		all |= o.Kind
	}
	return all
}

// drawer draws the schedules of a search.
type drawer struct {
	*Reference
	longest time.Duration // that a choice of the schedule being drawn holds a call back
	budget  time.Duration // that choices of it hold a rank back in all
	starve  []starving    // which come next, in a random order
	rounds  int           // how often all of them came
	kinds   []mpi.Choice  // that may be chosen and are open
	orders  []mpi.Choice  // of these, that change the order of events
	random  *rand.Rand
}

func newDrawer(r *Reference, only mpi.Choice, seed uint64) *drawer {
	d := &drawer{Reference: r, longest: r.usual(), random: rand.New(rand.NewPCG(seed, 0))}
	for _, c := range mpi.AllChoices() {
		if c&only&r.Kinds() != 0 {
			d.kinds = append(d.kinds, c)
		}
	}
	d.orders = d.ordersOf()
	return d
}

// lateness are the kinds that hold back a rank at its calls, wherever it is.
const lateness = mpi.Delay | mpi.RMADelay

// orderly are the kinds that change the order of events. Others alone were tried everywhere by the first runs.
const orderly = lateness | mpi.Match | mpi.Completion | mpi.EndsDelay

// ordersOf lists the kinds that change the order of events, in a random order: start and end of the ranks half as often as
// the others.
func (d *drawer) ordersOf() (out []mpi.Choice) {
	for range 2 {
		for _, c := range []mpi.Choice{lateness, mpi.Match, mpi.Completion} {
			if slices.ContainsFunc(d.kinds, func(k mpi.Choice) bool { return k&c != 0 }) {
				out = append(out, c)
			}
		}
	}
	if slices.Contains(d.kinds, mpi.EndsDelay) {
		out = append(out, mpi.EndsDelay)
	}
	d.random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// everywhere are the kinds that a run tries alone, at all sites, before any is drawn: each of these choices is made
// either way, so one run shows much.
var everywhere = []mpi.Choice{mpi.SendMode, mpi.Synchronising, mpi.BufferUse, mpi.EpochEnd}

// swarms: each so many-th run takes a random part of all kinds and sites (swarm testing).
const swarms = 3

// draw is the number-th schedule, from 0.
func (d *drawer) draw(number int) *Schedule {
	s := &Schedule{Version: scheduleVersion, Seed: d.random.Uint32()}
	first := slices.DeleteFunc(slices.Clone(everywhere), func(c mpi.Choice) bool { return !slices.Contains(d.kinds, c) })
	part := 1
	if number >= len(first) { // shorter delays find what changes places with what is near to it, and take less time
		part = d.oneOf(1, 1, 4, 16)
	}
	d.longest, d.budget = d.usual()/time.Duration(part), d.Budget()/time.Duration(part)
	s.Rules = d.drawRules(number, first)
	s.Rules = s.Rules[:min(len(s.Rules), maxRules)]
	s.LongestUS, s.BudgetUS = d.longest.Microseconds(), max(d.budget, d.longest).Microseconds()
	return s
}

// drawRules draws the rules of the number-th schedule; those of some kinds alone come first.
func (d *drawer) drawRules(number int, first []mpi.Choice) (out []Rule) {
	if number < len(first) {
		return d.drawEverywhere(first[number])
	}
	if number -= len(first); number%swarms > 0 && len(d.orders) > 0 {
		out = d.drawOrder(d.orders[(number-number/swarms-1)%len(d.orders)])
	}
	for len(out) == 0 || len(d.orders) > 0 && kindsOf(out)&orderly == 0 {
		out = d.drawSwarm()
	}
	return out
}

// drawSwarm draws some of the kinds.
func (d *drawer) drawSwarm() (out []Rule) {
	for _, c := range d.kinds {
		if len(d.kinds) == 1 || d.random.IntN(2) == 0 {
			out = append(out, d.drawKind(c)...)
		}
	}
	return out
}

// drawOrder changes the order of events by one kind of choices alone, and makes those that go either way of about half of the
// other kinds everywhere. So a failure that takes one of each is met often, and a third kind that prevents it is absent in half
// of the runs; among subsets of all kinds and sites both are rare.
func (d *drawer) drawOrder(order mpi.Choice) (out []Rule) {
	late := (*drawer).drawLate
	if order == lateness {
		switch d.random.IntN(6) {
		case 0, 1, 2: // each rank in turn: where only one of them can be too late, all others are in vain
			next := d.nextStarving()
			d.longest, d.budget = next.longest, d.Budget()
			late = func(d *drawer, c mpi.Choice) []Rule {
				if c != next.kind {
					return nil
				}
				return d.drawStarved(c, next.rank)
			}
		case 3:
			late = (*drawer).drawJitter
		case 4:
			d.longest, d.budget = d.Longest(), d.Budget()
		}
	}
	for _, c := range d.kinds {
		switch {
		case c&order&(lateness|mpi.EndsDelay) != 0:
			out = append(out, late(d, c)...)
		case c == order || slices.Contains(everywhere, c) && d.random.IntN(2) == 0:
			out = append(out, d.drawEverywhere(c)...)
		}
	}
	return out
}

// drawEverywhere makes a choice at all sites.
func (d *drawer) drawEverywhere(c mpi.Choice) []Rule {
	r := Rule{Kind: c.String(), Rank: EveryRank, Often: million}
	switch c {
	case mpi.Match:
		r.Value = anyValue
	case mpi.Completion:
		r.Often, r.Value = d.oneOf(million, million/4), int64(d.oneOf(fewNoes, manyNoes, anyValue))
	case mpi.EpochEnd:
		r.Value = int64(d.oneOf(0, anyOrder))
	case mpi.BufferUse:
		r.Value = int64(d.oneOf(0, anyBuffer))
	}
	return []Rule{r}
}

// drawKind draws the rules of a kind: delays of single calls or of a starved rank, other choices at some sites.
func (d *drawer) drawKind(c mpi.Choice) []Rule {
	switch c {
	case mpi.Delay, mpi.RMADelay:
		switch d.random.IntN(4) {
		case 0:
			return d.drawStarved(c, d.rankOf(c))
		case 1:
			return d.drawJitter(c)
		}
		return d.drawLate(c)
	case mpi.EndsDelay:
		return d.drawLate(c)
	case mpi.Synchronising:
		return []Rule{{Kind: c.String(), Rank: EveryRank, Often: d.oneOf(million, million/2)}}
	}
	if slices.Contains(everywhere, c) && d.random.IntN(2) == 0 { // other kinds may need it besides
		return d.drawEverywhere(c)
	}
	return d.drawSites(c)
}

func (d *drawer) oneOf(values ...int) int { return values[d.random.IntN(len(values))] }

func (d *drawer) openOf(c mpi.Choice) []*Open {
	return slices.DeleteFunc(slices.Clone(d.Open), func(o *Open) bool { return o.Kind&c == 0 })
}

// drawSites draws at which sites a choice is made, and how often there.
func (d *drawer) drawSites(c mpi.Choice) (out []Rule) {
	open, share, value := d.openOf(c), d.oneOf(1, 2, 4), int64(0)
	switch c {
	case mpi.Match:
		value = anyValue
	case mpi.Completion:
		value = int64(d.oneOf(3, fewNoes, manyNoes, anyValue))
	case mpi.EpochEnd:
		value = anyOrder
	case mpi.BufferUse:
		value = int64(d.oneOf(0, anyBuffer))
	}
	for _, o := range open {
		if d.random.IntN(share) > 0 {
			continue
		}
		rank := EveryRank
		if d.random.IntN(3) == 0 {
			rank = d.oneOf(o.ranks()...)
		}
		r := Rule{Kind: c.String(), Rank: rank, Site: o.Site, Often: d.oneOf(million, million, million/3), Value: value}
		if f := mpi.FindFunction(o.Call); f.InClass(mpi.ClassWaitany, mpi.ClassWaitsome) {
			r.Value = anyValue
		}
		out = append(out, r)
	}
	return out
}

// rankOf draws a rank that comes to a place where one of some kinds is open.
func (d *drawer) rankOf(c mpi.Choice) int {
	open := d.openOf(c)
	return d.oneOf(open[d.random.IntN(len(open))].ranks()...)
}

// starving is a rank that is held back for long at many of its calls, by one kind of choices.
type starving struct {
	rank    int
	kind    mpi.Choice
	longest time.Duration
}

// With starvingLengths each rank starves for the longest time, then for a starvingPart of it each, and again so: what is to be
// overtaken by some events may have to come before others.
const (
	starvingLengths = 3
	starvingPart    = 4
)

// nextStarving takes all ranks and kinds in turn.
func (d *drawer) nextStarving() starving {
	if len(d.starve) == 0 {
		longest := d.Longest()
		for range d.rounds % starvingLengths {
			longest /= starvingPart
		}
		d.rounds++
		for _, o := range d.openOf(lateness) {
			for _, rank := range o.ranks() {
				if s := (starving{rank, o.Kind, longest}); !slices.Contains(d.starve, s) {
					d.starve = append(d.starve, s)
				}
			}
		}
		d.random.Shuffle(len(d.starve), func(i, j int) { d.starve[i], d.starve[j] = d.starve[j], d.starve[i] })
	}
	next := d.starve[0]
	d.starve = d.starve[1:]
	return next
}

// drawStarved has one rank held back at many of its calls, all over the run.
func (d *drawer) drawStarved(c mpi.Choice, rank int) []Rule {
	open := d.openOf(c)
	visits := uint64(0)
	for _, o := range open {
		visits += o.Visits[rank]
	}
	calls := min(starvedCalls, 2*float64(d.budget)/float64(d.longest)) // half of the longest on average: until the end of the run
	often := int(math.Ceil(million * min(1, calls/float64(max(visits, 1)))))
	return []Rule{{Kind: c.String(), Rank: rank, Often: often, Value: d.longest.Microseconds()}}
}

// shortestDelay is drawn as well, microseconds: an iteration of the program may be as short.
const shortestDelay = 20

// drawAnyDelay draws a delay of any order of magnitude.
func (d *drawer) drawAnyDelay() int64 {
	longest := float64(d.longest.Microseconds())
	return int64(longest * math.Exp(-d.random.Float64()*math.Log(longest/shortestDelay)))
}

// drawJitter has all ranks late at many of their calls, by times that are alike, so that events which are near to each other
// change places again and again.
func (d *drawer) drawJitter(c mpi.Choice) []Rule {
	return []Rule{{Kind: c.String(), Rank: EveryRank, Often: d.oneOf(million, million/4, million/16), Value: d.drawAnyDelay()}}
}

// drawDelay draws how late a call is: half of them by much, the others by any order of magnitude.
func (d *drawer) drawDelay() int64 {
	if d.random.IntN(2) == 0 {
		return d.drawAnyDelay()
	}
	return d.longest.Microseconds() * int64(1+d.random.IntN(4)) / 4
}

// drawLate has some ranks late at one of their calls. A call made once is drawn as often as one made a million times, and
// the first times are drawn more often than later ones: points at which priorities change.
func (d *drawer) drawLate(c mpi.Choice) (out []Rule) {
	open := d.openOf(c)
	for range 1 + d.random.IntN(mostLate) {
		o := open[d.random.IntN(len(open))]
		rank := d.oneOf(o.ranks()...)
		count := 1 + uint64(d.random.Float64()*float64(o.Visits[rank]))
		if d.random.IntN(2) == 0 {
			count = uint64(math.Exp(d.random.Float64() * math.Log(float64(o.Visits[rank])+1)))
		}
		r := Rule{Kind: c.String(), Rank: rank, Site: o.Site, Count: count, Often: million}
		if !slices.ContainsFunc(out, func(o Rule) bool { o.Value = 0; return o == r }) {
			r.Value = d.drawDelay()
			out = append(out, r)
		}
	}
	return out
}
