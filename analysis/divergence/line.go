package divergence

import (
	"slices"

	"laggard/model"
	"laggard/model/mpi"
)

// Call is a collective that was begun.
type Call struct {
	model.Begun
	State *model.State // the call and its stack; nil unknown
	Place string       // in the source; "" not known, or not needed
	// RootRank is the root's rank of MPI_COMM_WORLD; -1: there is none, it is not known, or it is Root itself, on MPI_COMM_WORLD.
	RootRank int
}

// CallIn is a call of which no more than its state is known.
func CallIn(s *model.State) Call {
	return Call{Begun: model.Begun{Root: model.None, Bytes: -1}, State: s, RootRank: -1}
}

// sameCall reports whether two calls match, as the standard asks of the members of a
// communicator, and come from the same place of the program.
func (c *Call) sameCall(d *Call) bool { return c.sameSite(d) && c.sameArguments(d) }

func (c *Call) sameSite(d *Call) bool {
	return d != nil && c.Place != "" && c.Place == d.Place
}

// isAt is sameSite for a value.
func (c *Call) isAt(d Call) bool { return c.sameSite(&d) }

// otherSite reports whether two calls come from places that are known and differ.
func (c *Call) otherSite(d *Call) bool {
	return c.Place != "" && d.Place != "" && c.Place != d.Place
}

func (c *Call) sameArguments(d *Call) bool {
	return c.Function() == d.Function() && c.Root == d.Root && c.Op == d.Op && c.Bytes == d.Bytes
}

// Function is that of MPI, "" unknown.
func (c *Call) Function() string {
	if c.State == nil {
		return ""
	}
	if f := mpi.FunctionOf(c.State.Call); f != nil {
		return f.Narrow.Name // with large counts it is the same collective
	}
	return c.State.Call
}

// Line is what some members of a communicator began, all of them alike.
type Line struct {
	Ranks  model.RankSet
	Latest []Call // the latest calls, by rising number, without a gap
	Marks  []model.Mark
}

// Last is the number of the latest call, 0 if there is none.
func (l *Line) Last() uint64 {
	if len(l.Latest) == 0 {
		return 0
	}
	return l.Latest[len(l.Latest)-1].Number
}

// callsFrom returns the calls from number n on; nil if n is not kept.
func (l *Line) callsFrom(n uint64) []Call {
	if len(l.Latest) == 0 || n < l.Latest[0].Number || n > l.Last() {
		return nil
	}
	return l.Latest[n-l.Latest[0].Number:]
}

// markAt returns the hashes after n calls.
func (l *Line) markAt(n uint64) (model.Mark, bool) {
	if calls := l.callsFrom(n); calls != nil {
		return calls[0].Mark, true
	}
	i, found := slices.BinarySearchFunc(l.Marks, n,
		func(m model.Mark, n uint64) int { return int(int64(m.Number - n)) })
	if found {
		return l.Marks[i], true
	}
	return model.Mark{}, n == 0
}

// knownNumbers lists where the hashes are known, rising.
func (l *Line) knownNumbers() []uint64 {
	out := []uint64{0}
	for _, m := range l.Marks {
		out = append(out, m.Number)
	}
	for _, c := range l.Latest {
		out = append(out, c.Number)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// bracketDifference brackets the first call by which two lines differ: they agree after
// `before` calls and no longer after `after`; after 0: they agree as far as both
// go.
func bracketDifference(a, b *Line, hash func(model.Mark) uint64) (before, after uint64) {
	for _, n := range a.knownNumbers() {
		x, _ := a.markAt(n)
		y, known := b.markAt(n)
		switch {
		case !known:
		case hash(x) != hash(y):
			return before, n
		default:
			before = n
		}
	}
	return before, 0
}
