package waitfor

import "slices"

// mark is what Stuck knows of a node.
type mark struct {
	inside, released bool
	missing          int // needs in the set that are not released
}

// Stuck returns the nodes of a set that are never released, even if all nodes
// outside it are: its greatest part of which every node lacks something inside.
// They come in the order of the set. Its cost is linear in what the nodes of the
// set need and are needed for.
func (g *Graph) Stuck(set []int) []int {
	if g.waiting.start == nil {
		g.waiting = reverseEdges(g.needs)
		g.marks = make([]mark, len(g.needs))
	}
	for _, x := range set {
		g.marks[x].inside = true
	}
	for queue := g.initiallyFree(set); len(queue) > 0; {
		x := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if g.marks[x].released {
			continue
		}
		g.marks[x].released = true
		for _, y := range g.waiting.waitersOf(x) {
			if m := &g.marks[y]; m.inside {
				if m.missing--; g.kinds[y] == Any || m.missing == 0 {
					queue = append(queue, y)
				}
			}
		}
	}
	out := slices.DeleteFunc(slices.Clone(set), func(x int) bool { return g.marks[x].released })
	for _, x := range set {
		g.marks[x] = mark{}
	}
	return out
}

// initiallyFree counts what the nodes of a set miss, and returns those that do not wait
// for anything inside.
func (g *Graph) initiallyFree(set []int) []int {
	var out []int
	for _, x := range set {
		m := &g.marks[x]
		for _, y := range g.needs[x] {
			if g.marks[y].inside {
				m.missing++
			}
		}
		outside := len(g.needs[x]) - m.missing
		if g.kinds[x] == Any && outside > 0 || g.kinds[x] == All && m.missing == 0 {
			out = append(out, x)
		}
	}
	return out
}
