package waitfor

import "slices"

// Tarjan finds strongly connected components (Tarjan, "Depth-first search and
// linear graph algorithms", 1972). It keeps its memory from one search to the
// next. The zero value is ready.
//
// It is there because graphs here have up to millions of nodes, or are small and
// searched by the thousand: gonum's TarjanSCC, over maps and by recursion, takes
// forty times as long (BenchmarkComponents).
type Tarjan struct {
	next       func(node int) []int
	index, low []int // by node; index counts from 1
	open       []bool
	stack      []int
	count      int
	members    []int // of all components
	out        [][]int
}

// unseen marks a node of the graph that was not visited; 0 one outside it.
const unseen = -1

// visit is a node whose needs are being visited.
type visit struct {
	node int
	todo []int
}

// Components returns the strongly connected components of some nodes, each
// ascending and after those that it leads to. Next returns what a node leads to;
// what is not among the nodes does not count.
func (t *Tarjan) Components(nodes []int, next func(node int) []int) [][]int {
	if len(nodes) == 0 {
		return nil
	}
	t.grow(slices.Max(nodes) + 1)
	t.next, t.count, t.out, t.members = next, 0, nil, make([]int, 0, len(nodes))
	for _, x := range nodes {
		t.index[x] = unseen
	}
	for _, x := range nodes {
		if t.index[x] == unseen {
			t.searchFrom(x)
		}
	}
	for _, x := range nodes {
		t.index[x] = 0
	}
	return t.out
}

func (t *Tarjan) grow(size int) {
	if more := size - len(t.index); more > 0 {
		t.index = append(t.index, make([]int, more)...)
		t.low = append(t.low, make([]int, more)...)
		t.open = append(t.open, make([]bool, more)...)
	}
}

// searchFrom walks from a node, with a stack of its own: a chain of ranks can be
// longer than the program's stack is deep.
func (t *Tarjan) searchFrom(root int) {
	visits := []visit{t.enter(root)}
	for len(visits) > 0 {
		v := &visits[len(visits)-1]
		if len(v.todo) == 0 {
			visits = visits[:len(visits)-1]
			if len(visits) > 0 {
				above := visits[len(visits)-1].node
				t.low[above] = min(t.low[above], t.low[v.node])
			}
			t.popComponent(v.node)
			continue
		}
		y := v.todo[0]
		v.todo = v.todo[1:]
		switch {
		case y >= len(t.index) || t.index[y] == 0:
		case t.index[y] == unseen:
			visits = append(visits, t.enter(y))
		case t.open[y]:
			t.low[v.node] = min(t.low[v.node], t.index[y])
		}
	}
}

func (t *Tarjan) enter(x int) visit {
	t.count++
	t.index[x], t.low[x], t.open[x] = t.count, t.count, true
	t.stack = append(t.stack, x)
	return visit{x, t.next(x)}
}

// popComponent takes the component of a node off the stack if the node was its first.
func (t *Tarjan) popComponent(x int) {
	if t.low[x] != t.index[x] {
		return
	}
	i := len(t.stack) - 1
	for t.stack[i] != x {
		i--
	}
	begin := len(t.members)
	t.members = append(t.members, t.stack[i:]...)
	part := t.members[begin:len(t.members):len(t.members)]
	t.stack = t.stack[:i]
	for _, y := range part {
		t.open[y] = false
	}
	slices.Sort(part)
	t.out = append(t.out, part)
}
