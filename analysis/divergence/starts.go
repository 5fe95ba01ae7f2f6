package divergence

import (
	"maps"
	"slices"

	"laggard/model/mpi"
)

// isStart reports whether a call is the start of a persistent collective, which the history names by the call that made the request.
// Members may start them in any order, also in relation to other collectives: they match by the order in which they were made.
func (c *Call) isStart() bool {
	if c.State == nil {
		return false
	}
	f := mpi.FunctionOf(c.State.Call)
	return f != nil && f.Class.IsPersistent()
}

func isStart(c Call) bool { return c.isStart() }

// hasSeveralStarts reports whether different persistent collectives were started, so that the hashes of members may differ without fault.
func (l *Line) hasSeveralStarts() bool {
	return len(startsOf(l.Latest)) > 1
}

// firstOutOfOrder is the number of the first call, from number n on, in which two lines differ by more than the order in which they started
// persistent collectives; 0: they do not, as far as both go.
func firstOutOfOrder(l, others *Line, n uint64) uint64 {
	mine, theirs := l.callsFrom(n), others.callsFrom(n)
	for i := 0; i < len(mine) && i < len(theirs); {
		switch {
		case mine[i].sameArguments(&theirs[i]) && mine[i].isStart() == theirs[i].isStart():
			i++
			continue
		case !mine[i].isStart() && !theirs[i].isStart():
			return n + uint64(i)
		}
		k := samePermuted(mine[i:], theirs[i:])
		switch {
		case k > 0:
			i += k
		case mine[i].isStart() && theirs[i].isStart() && mayCatchUp(mine[i:], theirs[i:]):
			return 0
		default:
			return n + uint64(i)
		}
	}
	return 0
}

// samePermuted is how many calls two sides made that are the same but for where among them the starts are; 0: there are none.
func samePermuted(mine, theirs []Call) int {
	for k := 2; k <= len(mine) && k <= len(theirs); k++ {
		if maps.Equal(startsOf(mine[:k]), startsOf(theirs[:k])) && alikeInOrder(othersOf(mine[:k]), othersOf(theirs[:k])) {
			return k
		}
	}
	return 0
}

// mayCatchUp reports whether two sides that differ in starts alone may come to have made the same: the one that is behind in its other
// calls is so in its starts, too.
func mayCatchUp(mine, theirs []Call) bool {
	further, behind := mine, theirs
	if len(othersOf(theirs)) > len(othersOf(mine)) {
		further, behind = theirs, mine
	}
	rest, fewer := othersOf(further), othersOf(behind)
	switch {
	case !alikeInOrder(rest[:len(fewer)], fewer):
		return false
	case len(rest) == 0:
		return true
	case len(rest) > len(fewer):
		return contains(startsOf(further), startsOf(behind))
	}
	a, b := startsOf(further), startsOf(behind)
	return !contains(a, b) && !contains(b, a)
}

// started is a persistent collective, by what its members have to agree on and the place that made it.
type started struct {
	function, place string
	op              string
	root            int
	bytes           int64
}

// startsOf counts the starts among some calls.
func startsOf(calls []Call) map[started]int {
	out := map[started]int{}
	for i := range calls {
		if c := &calls[i]; c.isStart() {
			out[started{c.Function(), c.Place, c.Op, c.Root, c.Bytes}]++
		}
	}
	return out
}

// othersOf are the calls that are no starts.
func othersOf(calls []Call) []Call { return slices.DeleteFunc(slices.Clone(calls), isStart) }

func alikeInOrder(a, b []Call) bool {
	return slices.EqualFunc(a, b, func(x, y Call) bool { return x.sameArguments(&y) })
}

func contains(all, some map[started]int) bool {
	for what, n := range some {
		if all[what] < n {
			return false
		}
	}
	return true
}
