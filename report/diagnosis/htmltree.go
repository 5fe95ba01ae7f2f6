package diagnosis

import (
	"laggard/report/words"
)

// addStackTree lays out the stacks of the groups that the page has.
func (b *pageBuilder) addStackTree(p *pageData, r *Result, position map[int]int) error {
	all, err := RankStacks(r)
	if err != nil {
		return err
	}
	var stacks []RankStack
	p.Parts = []pagePart{}
	for _, s := range all {
		group, known := position[s.Group]
		if !known {
			continue
		}
		part := pagePart{Group: group, Ranks: s.Ranks}
		if s.Ranks == p.View.Groups[group].Ranks {
			part.Ranks = ""
		}
		stacks = append(stacks, s)
		p.Parts = append(p.Parts, part)
	}
	nodes := treeCutter{room: maxPageNodes}
	p.Tree = nodes.cut(NewStackTree(stacks), 0)
	p.Left.Tree = nodes.omitted
	return nil
}

// treeCutter copies a tree as far as there is room.
type treeCutter struct{ room, omitted int }

func (c *treeCutter) cut(t *StackTree, depth int) *pageNode {
	out := &pageNode{Text: words.Printable(words.Cut(t.Text())), Ends: append([]int{}, t.Ends...),
		Children: []*pageNode{}}
	for _, child := range t.Children {
		if c.room == 0 || depth == maxPageDepth {
			c.omitted++
			out.Ends = append(out.Ends, stacksThrough(child)...)
			continue
		}
		c.room--
		out.Children = append(out.Children, c.cut(child, depth+1))
	}
	return out
}

// stacksThrough lists all stacks that go through a node.
func stacksThrough(t *StackTree) []int {
	out := append([]int{}, t.Ends...)
	for _, child := range t.Children {
		out = append(out, stacksThrough(child)...)
	}
	return out
}
