package diagnosis

import (
	"fmt"
	"io"
	"strings"

	"laggard/model"
	"laggard/report/words"
)

// Stacks writes the prefix tree of the stacks of all ranks as text, as STAT
// does: a level in each line, below its caller, with the ranks that are in it
// where they are not all those of the caller.
func Stacks(w io.Writer, r *Result) error {
	t, err := newRankTree(r)
	if err != nil {
		return err
	}
	b := &strings.Builder{}
	if t.ranks.Len() == 0 {
		b.WriteString("There are no stacks.\n")
	} else {
		fmt.Fprintf(b, "%s, %s\n", words.Size(t.ranks.Len()), words.Ranks(t.ranks.String()))
	}
	t.writeText(b, "")
	_, err = io.WriteString(w, b.String())
	return err
}

// StacksDOT writes the same tree for Graphviz. Nodes with one rank only are
// filled: it stands apart from all others.
func StacksDOT(w io.Writer, r *Result) error {
	t, err := newRankTree(r)
	if err != nil {
		return err
	}
	b := &strings.Builder{}
	b.WriteString("digraph stacks {\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", " +
		"fontsize=10];\n")
	t.writeDOT(b, new(int))
	b.WriteString("}\n")
	_, err = io.WriteString(w, b.String())
	return err
}

// rankTree is a StackTree with the ranks of each node.
type rankTree struct {
	name     string
	root     bool
	ranks    model.RankSet
	ends     model.RankSet // whose stack ends here
	children []*rankTree
}

func newRankTree(r *Result) (*rankTree, error) {
	stacks, err := RankStacks(r)
	if err != nil {
		return nil, err
	}
	sets := make([]model.RankSet, len(stacks))
	for i, s := range stacks {
		if sets[i], err = model.ParseRankSet(s.Ranks); err != nil {
			return nil, err
		}
	}
	t := rankTreeOf(NewStackTree(stacks), sets)
	t.name, t.root = "all", true
	return t, nil
}

func rankTreeOf(t *StackTree, sets []model.RankSet) *rankTree {
	out := &rankTree{name: words.Printable(words.Cut(t.Text()))}
	for _, i := range t.Ends {
		out.ends = out.ends.Union(sets[i])
	}
	out.ranks = out.ends.Clone()
	for _, c := range t.Children {
		child := rankTreeOf(c, sets)
		out.ranks = out.ranks.Union(child.ranks)
		out.children = append(out.children, child)
	}
	return out
}

// writeText writes what is below a node. A chain of calls that all its ranks share
// needs no deeper indentation.
func (t *rankTree) writeText(b *strings.Builder, indent string) {
	if what := t.endingText(); what != "" {
		fmt.Fprintf(b, "%s(%s)  [%d: %s]\n", indent, what, t.ends.Len(), words.Set(t.ends.String()))
	}
	for _, c := range t.children {
		fmt.Fprintf(b, "%s%s", indent, c.name)
		if len(t.children) > 1 || !c.ranks.Equal(t.ranks) {
			fmt.Fprintf(b, "  [%d: %s]", c.ranks.Len(), words.Set(c.ranks.String()))
		}
		b.WriteByte('\n')
		deeper := indent
		if len(c.children) > 1 || c.ends.Len() > 0 && len(c.children) > 0 || len(t.children) > 1 {
			deeper += "  "
		}
		c.writeText(b, deeper)
	}
}

// endingText says what the stacks that end at a node mean, where that is no matter of
// course.
func (t *rankTree) endingText() string {
	switch {
	case t.ends.Len() == 0:
		return ""
	case t.root:
		return "no stack"
	case len(t.children) > 0:
		return "ends here"
	}
	return ""
}

// writeDOT writes a node with its children and returns its number.
func (t *rankTree) writeDOT(b *strings.Builder, next *int) int {
	id := *next
	*next++
	fill := ""
	if t.ranks.Len() == 1 {
		fill = ", style=filled, fillcolor=\"#f4b6a6\""
	}
	fmt.Fprintf(b, "  s%d [label=%s%s];\n", id, quoteDOT(t.name), fill)
	for _, c := range t.children {
		child := c.writeDOT(b, next)
		fmt.Fprintf(b, "  s%d -> s%d [label=%s];\n", id, child,
			quoteDOT(fmt.Sprintf("%d: %s", c.ranks.Len(), words.Set(c.ranks.String()))))
	}
	return id
}
