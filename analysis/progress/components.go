package progress

import "slices"

// components returns the strongly connected components of a graph (Tarjan
// 1972), each ascending and after those it leads to. Nodes are numbers below
// size; next yields the successors of one; what is not among nodes does not
// count. Graphs here are dense numbers and made by the thousand, for which a
// graph of maps takes ten times as long.
func components(size int, nodes []int, next func(node int, yield func(int))) [][]int {
	t := tarjan{next: next, index: make([]int, size), low: make([]int, size), open: make([]bool, size)}
	for _, x := range nodes {
		t.index[x] = unseen
	}
	for _, x := range nodes {
		if t.index[x] == unseen {
			t.visit(x)
		}
	}
	return t.out
}

// unseen marks a node of the graph that was not visited; 0 one outside it.
const unseen = -1

type tarjan struct {
	next       func(node int, yield func(int))
	index, low []int // index counts from 1
	open       []bool
	stack      []int
	count      int
	out        [][]int
}

// frame is a node whose successors are being visited.
type frame struct {
	node int
	todo []int
}

// visit walks from a node, with a stack of its own: a chain of ranks can be
// longer than the program's stack is deep.
func (t *tarjan) visit(root int) {
	frames := []frame{t.enter(root)}
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if len(f.todo) > 0 {
			y := f.todo[0]
			f.todo = f.todo[1:]
			switch {
			case t.index[y] == unseen:
				frames = append(frames, t.enter(y))
			case t.open[y]:
				t.low[f.node] = min(t.low[f.node], t.index[y])
			}
			continue
		}
		x := f.node
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			above := frames[len(frames)-1].node
			t.low[above] = min(t.low[above], t.low[x])
		}
		if t.low[x] == t.index[x] {
			t.close(x)
		}
	}
}

func (t *tarjan) enter(x int) frame {
	t.count++
	t.index[x], t.low[x], t.open[x] = t.count, t.count, true
	t.stack = append(t.stack, x)
	f := frame{node: x}
	t.next(x, func(y int) {
		if t.index[y] != 0 {
			f.todo = append(f.todo, y)
		}
	})
	return f
}

// close takes a component off the stack, down to its first node.
func (t *tarjan) close(x int) {
	i := len(t.stack) - 1
	for t.stack[i] != x {
		i--
	}
	part := slices.Clone(t.stack[i:])
	t.stack = t.stack[:i]
	for _, y := range part {
		t.open[y] = false
	}
	slices.Sort(part)
	t.out = append(t.out, part)
}
