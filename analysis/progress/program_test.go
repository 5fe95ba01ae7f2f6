package progress

import (
	"crypto/md5"
	"fmt"
	"math/rand/v2"
	"slices"

	"laggard/model"
)

// A structured program, made at random, that ranks execute: sequences of calls,
// loops and branches.
type statement struct {
	site  *model.State   // a call
	body  []*statement   // a sequence, or the body of a loop
	arms  [][]*statement // a branch; an arm may be empty
	trips func(rank, iteration int) int
	arm   func(rank, iteration int) int
}

// how says what a program may do.
type how struct {
	unequalTrips bool // loops that ranks go round a different number of times
	rankBranches bool // branches by rank
	randomArms   bool // branches that ranks take as they like
}

type generator struct {
	rng   *rand.Rand
	how   how
	sites int
}

// randomStatements makes statements, one of them a call: a loop without a call of its
// own cannot be seen.
func (g *generator) randomStatements(depth int) []*statement {
	var out []*statement
	for range 1 + g.rng.IntN(3) {
		out = append(out, g.statement(depth))
	}
	return slices.Insert(out, g.rng.IntN(len(out)+1), g.call())
}

func (g *generator) call() *statement {
	g.sites++
	id := md5.Sum([]byte{byte(g.sites), byte(g.sites >> 8)})
	return &statement{site: &model.State{ID: id, Call: fmt.Sprintf("MPI_Call%d", g.sites)}}
}

func (g *generator) statement(depth int) *statement {
	switch kind := g.rng.IntN(8); {
	case depth > 0 && kind < 3:
		return &statement{body: g.randomStatements(depth - 1), trips: g.tripCount()}
	case depth > 0 && kind == 3 && (g.how.rankBranches || g.how.randomArms):
		return &statement{arms: [][]*statement{g.randomStatements(depth - 1), g.arm(depth - 1)}, arm: g.armChoice()}
	case depth > 0 && kind == 4:
		every := 2 + g.rng.IntN(3)
		return &statement{arms: [][]*statement{nil, g.randomStatements(depth - 1)},
			arm: func(_, iteration int) int { return b2i(iteration%every == 0) }}
	}
	return g.call()
}

func (g *generator) arm(depth int) []*statement {
	if g.rng.IntN(2) == 0 {
		return nil
	}
	return g.randomStatements(depth)
}

func (g *generator) tripCount() func(rank, iteration int) int {
	n, seed := 1+g.rng.IntN(5), g.rng.Uint64()
	switch {
	case g.how.unequalTrips && g.rng.IntN(2) == 0:
		return func(rank, _ int) int { return 1 + (rank*7+int(seed%5))%5 }
	case g.rng.IntN(2) == 0: // differs from iteration to iteration
		return func(_, iteration int) int { return 1 + int((seed+uint64(iteration)*2654435761)>>7%4) }
	}
	return func(int, int) int { return n }
}

func (g *generator) armChoice() func(rank, iteration int) int {
	seed, modulo := g.rng.Uint64(), 2+g.rng.IntN(3)
	if g.how.randomArms && g.rng.IntN(2) == 0 {
		return func(rank, iteration int) int {
			return int((seed ^ uint64(rank)*2654435761 ^ uint64(iteration)*40503) >> 5 % 2)
		}
	}
	return func(rank, _ int) int { return b2i(rank%modulo == 0) }
}

// moment is one call in the life of a rank: where it is in the program text,
// iteration by iteration. A branch adds its arm as a negative number.
type moment struct {
	site *model.State
	key  []int
	// iterations are, for the loops around it, all the iterations that the rank has made of
	// them; depths are where in the key the current iterations stand.
	iterations, depths []int
}

const maxMoments = 4000

// runProgram executes a program on one rank.
func runProgram(list []*statement, rank int) []moment {
	e := execution{rank: rank, iterations: map[*statement]int{}}
	e.runStatements(list, 0, moment{})
	return e.trace
}

type execution struct {
	rank       int
	iterations map[*statement]int
	trace      []moment
}

// runStatements executes statements in an iteration of the loop around them.
func (e *execution) runStatements(list []*statement, iteration int, m moment) {
	for i, s := range list {
		at := m
		at.key = appendCopy(m.key, i)
		switch {
		case len(e.trace) >= maxMoments:
			return
		case s.site != nil:
			at.site = s.site
			e.trace = append(e.trace, at)
		case s.arm != nil:
			arm := s.arm(e.rank, iteration)
			at.key = appendCopy(at.key, -1-arm)
			e.runStatements(s.arms[arm], iteration, at)
		default:
			for t := range s.trips(e.rank, iteration) {
				e.iterations[s]++
				in := moment{key: appendCopy(at.key, t), iterations: appendCopy(m.iterations, e.iterations[s]),
					depths: appendCopy(m.depths, len(at.key))}
				e.runStatements(s.body, iteration*8+t, in)
			}
		}
	}
}

// appendCopy returns a copy of a list with one more element.
func appendCopy(list []int, n int) []int { return append(list[:len(list):len(list)], n) }

// compareKeys tells which moment comes first; it says false for two arms of a
// branch, of which none does.
func compareKeys(a, b []int) (int, bool) {
	for i := 0; i < len(a) && i < len(b); i++ {
		switch {
		case a[i] == b[i]:
		case a[i] < 0 && b[i] < 0:
			return 0, false
		default:
			return a[i] - b[i], true
		}
	}
	return 0, true
}

// frozenRank builds a rank that has come to a moment of its trace.
func frozenRank(rank, size int, trace []moment, at int, inMPI bool) *model.Rank {
	t := &model.Thread{Calls: uint64(at + 1), Progress: uint64(at + 1)}
	states, counts := map[model.StateID]int{}, map[[2]int]int{}
	last := -1
	for _, m := range trace[:at+1] {
		s, known := states[m.site.ID]
		if !known {
			s = len(t.Model.States)
			states[m.site.ID] = s
			t.Model.States, t.Model.Visits = append(t.Model.States, m.site), append(t.Model.Visits, 0)
		}
		t.Model.Visits[s]++
		if last >= 0 {
			pair := [2]int{last, s}
			e, known := counts[pair]
			if !known {
				e = len(t.Model.Edges)
				counts[pair] = e
				t.Model.Edges = append(t.Model.Edges, model.Edge{From: last, To: s})
			}
			t.Model.Edges[e].Count++
		}
		last = s
	}
	t.Op = model.Op{State: last, InMPI: inMPI}
	return &model.Rank{Rank: rank, Size: size, Host: "n", Phase: model.Running, EndDetail: -1,
		Threads: []*model.Thread{t}}
}

// standstill is a hang with its truth: each rank's moment.
type standstill struct {
	ranks []*model.Rank
	at    []moment
	lag   int // the frozen rank
}

// randomStandstill runs a random program, freezes a random rank at a random moment, and
// lets the others come a little further. It returns nil if the program is too
// short or too long for that.
func randomStandstill(rng *rand.Rand, h how) *standstill {
	g := &generator{rng: rng, how: h}
	program := []*statement{{body: g.randomStatements(3), trips: func(int, int) int { return 6 }}, g.statement(2),
		{body: g.randomStatements(1), trips: g.tripCount()}}
	n := 4 + rng.IntN(9)
	st := &standstill{lag: rng.IntN(n)}
	traces := make([][]moment, n)
	for r := range n {
		if traces[r] = runProgram(program, r); len(traces[r]) < 4 || len(traces[r]) >= maxMoments {
			return nil
		}
	}
	stop := rng.IntN(len(traces[st.lag]) - 1)
	from := traces[st.lag][stop].key
	for r := range n {
		at := stop
		if r != st.lag {
			at = firstBehind(traces[r], from)
			if at >= len(traces[r]) {
				return nil
			}
			at = min(at+rng.IntN(1+len(traces[r])/4), len(traces[r])-1)
		}
		st.ranks = append(st.ranks, frozenRank(r, n, traces[r], at, rng.IntN(2) == 0))
		m := traces[r][at]
		m.key = appendCopy(m.key, b2i(!st.ranks[r].Threads[0].Op.InMPI))
		st.at = append(st.at, m)
	}
	return st
}

// firstBehind returns the first moment of a trace after a key.
func firstBehind(trace []moment, key []int) int {
	for i, m := range trace {
		if c, ordered := compareKeys(m.key, key); ordered && c > 0 {
			return i
		}
	}
	return len(trace)
}

// compare tells which of two ranks is truly ahead. It says false if none is,
// or if counts cannot tell: a rank knows all the iterations it has made of a loop,
// but not how many of them in this iteration of the loop around it; and where no
// rank ever went from one place to the other, nobody knows which comes first.
func (st *standstill) compare(a, b int) (int, bool) {
	x, y := &st.at[a], &st.at[b]
	truth, ordered := compareKeys(x.key, y.key)
	if !ordered || truth == 0 {
		return 0, false
	}
	same := 0
	for x.key[same] == y.key[same] {
		same++
	}
	inTurn := false
	for i, d := range x.depths {
		if d > same || i >= len(y.depths) || y.depths[i] != d {
			break
		}
		if c := x.iterations[i] - y.iterations[i]; c != 0 {
			return truth, (c > 0) == (truth > 0)
		}
		inTurn = d == same
	}
	if truth > 0 {
		a, b = b, a
	}
	return truth, !inTurn && st.hasPath(a, b)
}

// hasPath reports whether ranks ever went from where one is to where the other is.
func (st *standstill) hasPath(a, b int) bool {
	next := map[model.StateID][]model.StateID{}
	for _, r := range st.ranks {
		m := &r.Threads[0].Model
		for _, e := range m.Edges {
			next[m.States[e.From].ID] = append(next[m.States[e.From].ID], m.States[e.To].ID)
		}
	}
	from, to := st.at[a].site.ID, st.at[b].site.ID
	seen := map[model.StateID]bool{from: true}
	for queue := []model.StateID{from}; len(queue) > 0; queue = queue[1:] {
		for _, s := range next[queue[0]] {
			if !seen[s] {
				seen[s] = true
				queue = append(queue, s)
			}
		}
	}
	return seen[to]
}

// lagIsBehindAll reports whether the frozen rank is truly behind all others, and counts
// can tell.
func (st *standstill) lagIsBehindAll() bool {
	for r := range st.at {
		if c, known := st.compare(st.lag, r); r != st.lag && (!known || c > 0) {
			return false
		}
	}
	return true
}

// b2i is 1 if b is true, 0 if it is not.
func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
