package usage

import "sort"

// mutes are the calls between MPI_Pcontrol(0) and the next MPI_Pcontrol of another
// level, as spans of Call.Begin: the program asks that nothing be said of them, as
// the paper plans for single calls (Umpire §4.3).
type mutes []span

func mutesOf(t *Trace) mutes {
	var out mutes
	open := false
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Func == nil || c.Func.Name != "MPI_Pcontrol" {
			continue
		}
		level, ok := c.Value1("level")
		switch at := int64(c.Begin); {
		case !ok || open == (level == 0):
		case level == 0:
			out = append(out, span{at, 1<<63 - 1})
			open = true
		default:
			out[len(out)-1].hi = at
			open = false
		}
	}
	return out
}

// has reports whether a call that began at a place is muted.
func (m mutes) has(begin uint64) bool {
	at := int64(begin)
	k := sort.Search(len(m), func(i int) bool { return m[i].lo > at })
	return k > 0 && at < m[k-1].hi
}
