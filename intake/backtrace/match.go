package backtrace

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"laggard/model"
	"laggard/symbol"
)

// callSite finds the state of the same call at the same place: by the addresses
// of the whole stack, else by functions, files and lines, else by functions and
// lines, else by functions alone. Only a place that is the only such one is
// taken.
func (a *Ancestor) callSite(s site) (state int, ok bool) {
	mine := trimmedLocations(s)
	for _, same := range []func(state int) bool{
		func(i int) bool { return sameFrames(a.union.States[i].Stack, s.stack) },
		func(i int) bool { return slices.EqualFunc(a.calls[i], mine, sameLine) },
		func(i int) bool { return slices.EqualFunc(a.calls[i], mine, sameFunctions) },
	} {
		found, several := -1, false
		for i, t := range a.union.States {
			if t.Call == s.call && same(i) {
				several = several || found >= 0
				found = i
			}
		}
		if found >= 0 {
			return found, !several
		}
	}
	return -1, false
}

// trimmedLocations returns the places of a site's stack as a report shows them.
func trimmedLocations(s site) []symbol.Location {
	var out []symbol.Location
	for _, l := range s.stack {
		out = append(out, l.at)
	}
	return symbol.TrimStack(out)
}

// sameFrames compares addresses; a frame that has only a name has none.
func sameFrames(a []model.Frame, b []level) bool {
	return slices.EqualFunc(a, b, func(x model.Frame, y level) bool {
		return !symbol.HasOnlyName(x) && frameKey(x) == frameKey(y.frame)
	})
}

// sameLine compares all logical levels of two frames, as far as both tell them:
// a text may leave out what was inlined, but not where it was inlined into.
func sameLine(x, y symbol.Location) bool {
	a, b := x.Calls(), y.Calls()
	for len(a) > 0 && len(b) > 0 {
		p, q := a[len(a)-1], b[len(b)-1]
		if !sameCall(p, q) || p.Line != q.Line {
			return false
		}
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return true
}

func sameFunctions(x, y symbol.Location) bool {
	a, b := x.Calls(), y.Calls()
	return sameCall(a[len(a)-1], b[len(b)-1])
}

// sameCall compares functions; files of the same name may be in other
// directories on another machine.
func sameCall(a, b symbol.Call) bool {
	return normalisedName(a.Function) == normalisedName(b.Function) &&
		(a.File == "" || b.File == "" || path.Base(a.File) == path.Base(b.File))
}

// normalisedName is a function without its parameters, and without the marks of Fortran
// compilers and of copies that a compiler made: tools differ in what they show.
func normalisedName(function string) string {
	if function == fortranProgram {
		return "main"
	}
	if i := strings.IndexByte(function, '('); i > 0 && !strings.HasPrefix(function[i:], "(anonymous") {
		function = function[:i]
	}
	function, _, _ = strings.Cut(function, ".")
	return strings.TrimRight(function, "_")
}

// point is a logical level of a stack, for comparing places in one function.
type point struct {
	call    symbol.Call
	buildID string
	offset  uint64
}

// stackPoints lists the levels of a stack, the outermost first.
func stackPoints(frames []model.Frame, at []symbol.Location) []point {
	var out []point
	for i := len(at) - 1; i >= 0; i-- {
		calls := at[i].Calls()
		for k := len(calls) - 1; k >= 0; k-- {
			p := point{call: calls[k], offset: frames[i].Offset}
			if m := frames[i].Module; m != nil && !symbol.HasOnlyName(frames[i]) {
				p.buildID = m.BuildID
			}
			out = append(out, p)
		}
	}
	return out
}

// compare reports whether p comes before q in the code of their function: by
// lines; on one line by addresses, if both are in one file. Compilers move code
// about, so that addresses alone would mislead. Without either it is 0.
func (p point) compare(q point) int {
	if p.call.Line != q.call.Line && p.call.Line > 0 && q.call.Line > 0 {
		return cmp.Compare(p.call.Line, q.call.Line)
	}
	if p.buildID != "" && p.buildID == q.buildID {
		return cmp.Compare(p.offset, q.offset)
	}
	return 0
}

// neighbour is a state whose stack parts from that of a place within one
// function, depth levels below the outermost.
type neighbour struct {
	state, depth int
	at           point
	before       bool // it stands before the place in that function
}

// edgesAround finds the passages between calls that a place is in, as positions
// in the union's edges, by the order of the source: in the innermost function
// that they share, all passages to the first call behind the place; or, if
// there is none, all from the last call before it. That is a guess where the
// source jumps.
func (a *Ancestor) edgesAround(s site) []int {
	near := a.neighbours(s)
	next := nearestStates(near, func(n neighbour) bool { return !n.before }, func(x, y point) int { return y.compare(x) })
	if out := a.edgesWhere(func(e model.Edge) bool { return slices.Contains(next, e.To) }); len(out) > 0 {
		return out
	}
	last := nearestStates(near, func(n neighbour) bool { return n.before }, func(x, y point) int { return x.compare(y) })
	return a.edgesWhere(func(e model.Edge) bool { return slices.Contains(last, e.From) })
}

func (a *Ancestor) edgesWhere(which func(e model.Edge) bool) []int {
	var out []int
	for i, e := range a.union.Edges {
		if which(e) {
			out = append(out, i)
		}
	}
	return out
}

// neighbours returns the states that share most levels with a place.
func (a *Ancestor) neighbours(s site) []neighbour {
	var frames []model.Frame
	for _, l := range s.stack {
		frames = append(frames, l.frame)
	}
	mine := stackPoints(frames, trimmedLocations(s))
	var out []neighbour
	for i, t := range a.union.States {
		theirs := stackPoints(t.Stack, a.calls[i])
		k := 0
		for k < len(mine) && k < len(theirs) && sameCall(mine[k].call, theirs[k].call) &&
			mine[k].compare(theirs[k]) == 0 {
			k++
		}
		if k == len(mine) || k == len(theirs) || !sameCall(mine[k].call, theirs[k].call) {
			continue
		}
		n := neighbour{i, k, theirs[k], theirs[k].compare(mine[k]) < 0}
		if len(out) > 0 && n.depth > out[0].depth {
			out = nil
		}
		if len(out) == 0 || n.depth == out[0].depth {
			out = append(out, n)
		}
	}
	return out
}

// nearestStates returns the states of the neighbours on one side that come last in an
// order; those that are called through one place are equal.
func nearestStates(all []neighbour, side func(n neighbour) bool, order func(x, y point) int) []int {
	var best []neighbour
	for _, n := range all {
		if !side(n) {
			continue
		}
		if len(best) > 0 {
			switch c := order(n.at, best[0].at); {
			case c < 0:
				continue
			case c > 0:
				best = nil
			}
		}
		best = append(best, n)
	}
	var out []int
	for _, n := range best {
		out = append(out, n.state)
	}
	return out
}
