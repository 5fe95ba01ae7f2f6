package place

// maxCells bounds the table of an alignment. Functions with more calls are aligned by equal positions alone.
const maxCells = 1 << 20

// align pairs the calls of a function in one build with those in another: as many as can be without changing their order,
// and of the ways to do that one in which the distance of lines changes least. What withoutStrays leaves out are strays.
func align(from, to []group) (pairs, strays [][2]group) {
	if len(from)*len(to) > maxCells {
		return alignEqual(from, to), nil
	}
	table := fillTable(from, to)
	for i, k := len(from), len(to); i > 0 && k > 0; {
		switch table[i][k].step {
		case both:
			i, k = i-1, k-1
			pairs = append(pairs, [2]group{from[i], to[k]})
		case skipFrom:
			i--
		default:
			k--
		}
	}
	for i, k := 0, len(pairs)-1; i < k; i, k = i+1, k-1 {
		pairs[i], pairs[k] = pairs[k], pairs[i]
	}
	return withoutStrays(pairs)
}

func alignEqual(from, to []group) (pairs [][2]group) {
	for _, pair := range joinGroups(from, to) {
		if pair[0].position == pair[1].position {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// The steps back through the table.
const (
	skipFrom = iota
	skipTo
	both
)

// cell is the best alignment of the first groups of both sides.
type cell struct {
	pairs, cost int
	shift       int // by how many lines the last pair has moved
	step        int
}

func (c cell) isBetterThan(d cell) bool {
	return c.pairs > d.pairs || c.pairs == d.pairs && c.cost < d.cost
}

func fillTable(from, to []group) [][]cell {
	table := make([][]cell, len(from)+1)
	for i := range table {
		table[i] = make([]cell, len(to)+1)
		for k := range table[i] {
			if i == 0 || k == 0 {
				table[i][k].step = skipTo
				if k == 0 {
					table[i][k].step = skipFrom
				}
				continue
			}
			table[i][k] = bestCell(table, i, k, from[i-1], to[k-1])
		}
	}
	return table
}

func bestCell(table [][]cell, i, k int, a, b group) cell {
	best := table[i-1][k]
	best.step = skipFrom
	if other := table[i][k-1]; other.isBetterThan(best) {
		best = other
		best.step = skipTo
	}
	if !mayCorrespond(a, b) {
		return best
	}
	c := table[i-1][k-1]
	shift := b.position - a.position
	change := shift - c.shift
	c.pairs, c.step = c.pairs+1, both
	if a.lined && b.lined {
		c.cost, c.shift = c.cost+max(change, -change), shift
	}
	if c.isBetterThan(best) {
		return c
	}
	return best
}

func mayCorrespond(a, b group) bool {
	return a.callee == b.callee && (a.build != b.build || a.build == "" || a.position == b.position)
}

// near is how far the line that a compiler gives a call of several lines may be from that of another compiler.
const near = 3

// withoutStrays leaves out pairs that moved although the pairs before and behind did not: two calls of one function, of
// which each build made another.
func withoutStrays(pairs [][2]group) (kept, strays [][2]group) {
	shift := func(i int) int { return pairs[i][1].position - pairs[i][0].position }
	for i, p := range pairs {
		stray := false
		if i > 0 && i+1 < len(pairs) && p[0].lined && p[1].lined {
			away := shift(i) - shift(i-1)
			stray = shift(i-1) == shift(i+1) && max(away, -away) > near
		}
		if stray {
			strays = append(strays, p)
		} else {
			kept = append(kept, p)
		}
	}
	return kept, strays
}
