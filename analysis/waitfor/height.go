package waitfor

// Heights returns, by node, how far it is above what waits for nobody: a rank is
// one above the highest rank that it waits for. Ranks that wait for each other are
// level, and not above what they wait for together.
func (g *Graph) Heights() []int {
	step := func(node int) int {
		if g.ranks[node] == operation {
			return 0
		}
		return 1
	}
	return Heights(len(g.needs), g.tarjan.Components(g.Nodes(), g.next), g.next, step, 0)
}

// Heights returns the height of each node, which are numbers below size, given
// the components, each after those it leads to: the highest of those that a
// component leads to, plus the step of the node that does. A component of several
// nodes has at least height ring.
func Heights(size int, components [][]int, next func(node int) []int, step func(node int) int, ring int) []int {
	height, below := make([]int, size), make([]bool, size)
	for _, part := range components {
		top := 0
		if len(part) > 1 {
			top = ring
		}
		for _, x := range part {
			for _, y := range next(x) {
				if below[y] {
					top = max(top, height[y]+step(x))
				}
			}
		}
		for _, x := range part {
			height[x], below[x] = top, true
		}
	}
	return height
}
