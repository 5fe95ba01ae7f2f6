package waitfor

import "laggard/model"

// Kind says how many of its needs release a node.
type Kind bool

// The kinds of nodes.
const (
	All Kind = false
	Any Kind = true
)

// operation is the rank of a node that stands for none.
const operation = -1

// Graph is a wait-for graph. Nodes are numbers from 0, in the order they are
// added.
type Graph struct {
	kinds   []Kind
	needs   [][]int  // by node
	ranks   []int    // by node: the rank it stands for, or operation
	nodes   []int    // by rank: 1 + its node; 0: it has none
	waiting reversed // needs the other way round; none until it is asked for
	marks   []mark   // of Stuck, all zero otherwise
	tarjan  Tarjan
}

// New returns an empty graph, with room for that many ranks, of which each has about one operation.
func New(ranks int) *Graph {
	return &Graph{nodes: make([]int, 0, ranks), kinds: make([]Kind, 0, 2*ranks), needs: make([][]int, 0, 2*ranks),
		ranks: make([]int, 0, 2*ranks)}
}

// Rank adds the node of a rank, which must have none yet.
func (g *Graph) Rank(rank int, kind Kind, needs ...int) int {
	node := g.add(rank, kind, needs)
	if more := rank + 1 - len(g.nodes); more > 0 {
		g.nodes = append(g.nodes, make([]int, more)...)
	}
	g.nodes[rank] = node + 1
	return node
}

// Operation adds a node that stands for no rank. The graph keeps the needs.
func (g *Graph) Operation(kind Kind, needs ...int) int { return g.add(operation, kind, needs) }

func (g *Graph) add(rank int, kind Kind, needs []int) int {
	g.kinds, g.ranks = append(g.kinds, kind), append(g.ranks, rank)
	g.needs = append(g.needs, needs[:len(needs):len(needs)])
	g.waiting = reversed{}
	return len(g.needs) - 1
}

// Need adds to the needs of a node.
func (g *Graph) Need(node int, needs ...int) {
	g.needs[node] = append(g.needs[node], needs...)
	g.waiting = reversed{}
}

// Node returns the node of a rank, false if it has none.
func (g *Graph) Node(rank int) (int, bool) {
	if rank < 0 || rank >= len(g.nodes) || g.nodes[rank] == 0 {
		return 0, false
	}
	return g.nodes[rank] - 1, true
}

// Nodes returns all nodes.
func (g *Graph) Nodes() []int {
	out := make([]int, len(g.needs))
	for i := range out {
		out[i] = i
	}
	return out
}

// Ranks returns the ranks that some nodes stand for.
func (g *Graph) Ranks(nodes []int) model.RankSet {
	var out model.RankSet
	for _, x := range nodes {
		out.Add(g.ranks[x])
	}
	return out
}

// next returns what a node needs.
func (g *Graph) next(node int) []int { return g.needs[node] }

// Reached returns the nodes that can be reached from some, each once; those
// themselves only if a way leads back to them.
func (g *Graph) Reached(from []int) []int {
	seen := make([]bool, len(g.needs))
	var out []int
	visit := func(x int) {
		for _, y := range g.needs[x] {
			if !seen[y] {
				seen[y] = true
				out = append(out, y)
			}
		}
	}
	for _, x := range from {
		visit(x)
	}
	for i := 0; i < len(out); i++ {
		visit(out[i])
	}
	return out
}

// reversed lists by node, in one array, the nodes that need it: those of node x
// are from[start[x]:start[x+1]].
type reversed struct{ start, from []int }

func reverseEdges(needs [][]int) reversed {
	start := make([]int, len(needs)+2)
	for _, ys := range needs {
		for _, y := range ys {
			start[y+2]++
		}
	}
	for i := 2; i < len(start); i++ {
		start[i] += start[i-1]
	}
	from := make([]int, start[len(start)-1])
	for x, ys := range needs {
		for _, y := range ys {
			from[start[y+1]] = x
			start[y+1]++
		}
	}
	return reversed{start, from}
}

func (r *reversed) waitersOf(node int) []int { return r.from[r.start[node]:r.start[node+1]] }
