package place

import (
	"cmp"
	"slices"
)

// None is the counterpart of a site that has none.
const None = -1

// Match returns, for each site of one build, the index of its counterpart in another build, or None. Within one build no
// two sites have the same Key.
func Match(from, to []Site) []int {
	m := matcher{from: from, to: to, found: make([]int, len(from)), taken: make([]bool, len(to)), stray: map[int]bool{}}
	for i := range m.found {
		m.found[i] = None
	}
	for _, pair := range joinGroups(groupSome(from, numbers(from), 0, outermost), groupSome(to, numbers(to), 0, outermost)) {
		m.matchPrograms(pair[0].sites, pair[1].sites)
	}
	m.matchMoved()
	m.matchShortened()
	return m.found
}

func (m *matcher) noteStrays(pair [2]group) {
	for _, i := range pair[0].sites {
		m.stray[i] = true
	}
}

// matchMoved matches what is left and has one counterpart with the same functions: a call that was moved behind another.
func (m *matcher) matchMoved() {
	names := func(sites []Site, used func(int) bool) map[string][]int {
		out := map[string][]int{}
		for i, s := range sites {
			if !used(i) {
				out[s.functions()] = append(out[s.functions()], i)
			}
		}
		return out
	}
	to := names(m.to, func(i int) bool { return m.taken[i] })
	for functions, from := range names(m.from, func(i int) bool { return m.found[i] != None }) {
		if a, b := from, to[functions]; len(a) == 1 && len(b) == 1 && !m.stray[a[0]] && m.from[a[0]].isOtherBuild(m.to[b[0]]) {
			m.pair(a[0], b[0])
		}
	}
}

// outermost groups sites by their outermost function.
func outermost(s Site, _ int) group {
	if len(s.Steps) == 0 {
		return group{callee: s.Call}
	}
	return group{callee: s.Steps[0].Function}
}

type matcher struct {
	from, to []Site
	found    []int
	taken    []bool       // by site of to
	stray    map[int]bool // sites of from that are not matched by their functions alone, see withoutStrays
}

// group is the sites that go through one call of a function.
type group struct {
	callee   string
	position int
	lined    bool   // position is a line
	build    string // of the calling function
	sites    []int
}

// callOn groups sites by the call that the function on a level makes.
func callOn(s Site, level int) group {
	step := s.Steps[level]
	return group{callee: s.calleeAt(level), position: step.position(), lined: step.Line > 0, build: step.Build}
}

// numbers are those of all sites.
func numbers(sites []Site) []int {
	all := make([]int, len(sites))
	for i := range all {
		all[i] = i
	}
	return all
}

// groupSome groups some of the sites on a level, by position and callee.
func groupSome(sites []Site, some []int, level int, describe func(Site, int) group) []group {
	var out []group
	for _, i := range some {
		g := describe(sites[i], level)
		at, known := slices.BinarySearchFunc(out, g, compareGroups)
		if !known {
			out = slices.Insert(out, at, g)
		}
		out[at].sites = append(out[at].sites, i)
	}
	return out
}

func compareGroups(a, b group) int {
	return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.callee, b.callee))
}

// joinGroups pairs the groups with the same callee, wherever they are.
func joinGroups(from, to []group) [][2]group {
	var out [][2]group
	for _, a := range from {
		if i := slices.IndexFunc(to, func(b group) bool { return b.callee == a.callee }); i >= 0 {
			out = append(out, [2]group{a, to[i]})
		}
	}
	return out
}

// function is sites whose chains correspond down to the function on a level.
type function struct {
	from, to []int
	level    int
}

// matchPrograms matches sites with the same outermost function, level by level.
func (m *matcher) matchPrograms(from, to []int) {
	if len(m.from[from[0]].Steps) == 0 || len(m.to[to[0]].Steps) == 0 { // nothing is known of who called
		m.pair(from[0], to[0])
		return
	}
	for queue := []function{{from, to, 0}}; len(queue) > 0; queue = queue[1:] {
		queue = append(queue, m.matchCalls(queue[0])...)
	}
}

// matchCalls matches the calls of MPI that a function makes, and returns the functions that it calls.
func (m *matcher) matchCalls(f function) (called []function) {
	pairs, strays := align(groupSome(m.from, f.from, f.level, callOn), groupSome(m.to, f.to, f.level, callOn))
	for _, pair := range strays {
		m.noteStrays(pair)
	}
	for _, pair := range pairs {
		a, b := pair[0].sites, pair[1].sites
		if len(m.from[a[0]].Steps) == f.level+1 {
			m.pair(a[0], b[0])
			continue
		}
		called = append(called, function{a, b, f.level + 1})
	}
	return called
}

func (m *matcher) pair(from, to int) { m.found[from], m.taken[to] = to, true }

// matchShortened matches what is left: chains of which one has functions that the other lacks. The pair with the most
// functions in common comes first.
func (m *matcher) matchShortened() {
	type candidate struct{ from, to, common, away int }
	var list []candidate
	for i, a := range m.from {
		for k, b := range m.to {
			if m.found[i] != None || m.taken[k] || a.Call != b.Call {
				continue
			}
			if common, away, ok := compareShortened(a, b); ok {
				list = append(list, candidate{i, k, common, away})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int {
		return cmp.Or(y.common-x.common, x.away-y.away)
	})
	for _, c := range list {
		if m.found[c.from] == None && !m.taken[c.to] {
			m.pair(c.from, c.to)
		}
	}
}

// maxLeftOut is how many functions of a chain a compiler may have left out.
const maxLeftOut = 2

// compareShortened reports whether the functions of one chain are those of another one, with some left out; common is
// how many both have, and away how far apart the calls of the innermost of them are. Within one build chains do not change.
func compareShortened(a, b Site) (common, away int, ok bool) {
	short, long := a.Steps, b.Steps
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) == 0 || len(long) == len(short) || len(long)-len(short) > maxLeftOut || !a.isOtherBuild(b) {
		return 0, 0, false
	}
	at := 0
	for _, s := range short {
		for at < len(long) && long[at].Function != s.Function {
			at++
		}
		if at == len(long) {
			return 0, 0, false
		}
		at++
	}
	away = short[len(short)-1].position() - long[at-1].position()
	return len(short), max(away, -away), true
}
