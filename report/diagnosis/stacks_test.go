package diagnosis

import (
	"bytes"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
)

// TestStacksGolden writes the tree of stacks of the runs that the other goldens
// show, as text and for Graphviz.
func TestStacksGolden(t *testing.T) {
	for name, source := range testSources() {
		source.Resolver = testResolver(t)
		r := New(source)
		var text, dot bytes.Buffer
		musttest.Succeed(t, Stacks(&text, r))
		musttest.Succeed(t, StacksDOT(&dot, r))
		t.Run(name, func(t *testing.T) {
			golden.Check(t, name+".stacks.golden", text.Bytes())
			golden.Check(t, name+".stacks.dot.golden", dot.Bytes())
		})
	}
}

// TestStacksHaveAllRanks: the ranks of the nodes at the top are those of the
// groups, each once.
func TestStacksHaveAllRanks(t *testing.T) {
	for name, source := range testSources() {
		source.Resolver = testResolver(t)
		r := New(source)
		tree := musttest.Get(newRankTree(r))(t)
		want := 0
		for _, g := range r.Groups {
			want += g.Count
		}
		checktest.Equal(t, want, tree.ranks.Len(), name, "ranks in the tree")
		checkTree(t, name, tree)
	}
}

// checkTree: a rank is in one child of a node, or its stack ends there.
func checkTree(t *testing.T, name string, n *rankTree) {
	sum := n.ends.Len()
	for _, c := range n.children {
		sum += c.ranks.Len()
		checkTree(t, name, c)
	}
	checktest.Equal(t, n.ranks.Len(), sum, name, n.name, "ranks below it")
}

// TestStacksOfNothing: a run without ranks has an empty tree.
func TestStacksOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := Stacks(&b, &Result{}); err != nil || !strings.Contains(b.String(), "no stacks") {
		t.Errorf("%q, %v", b.String(), err)
	}
}
