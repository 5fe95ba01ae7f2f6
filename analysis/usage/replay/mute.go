package replay

import (
	"math"
	"sort"

	"laggard/analysis/usage/recorded"
)

// mutes are the calls between MPI_Pcontrol(0) and the next MPI_Pcontrol of another
// level, by their places (Call.Begin): the program asks that they be not reported,
// as the paper plans for single calls (Umpire §4.3).
type mutes []muted

// muted begins at a place and ends before another.
type muted struct{ from, to uint64 }

func mutesOf(t *recorded.Trace) mutes {
	var out mutes
	open := false
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Func == nil || c.Func.Name != "MPI_Pcontrol" {
			continue
		}
		level, ok := c.InputInt("level")
		switch at := c.Begin; {
		case !ok || open == (level == 0):
		case level == 0:
			out = append(out, muted{at, math.MaxUint64})
			open = true
		default:
			out[len(out)-1].to = at
			open = false
		}
	}
	return out
}

// has reports whether a call that began at a place is muted.
func (m mutes) has(begin uint64) bool {
	k := sort.Search(len(m), func(i int) bool { return m[i].from > begin })
	return k > 0 && begin < m[k-1].to
}
