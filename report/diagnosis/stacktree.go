package diagnosis

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"laggard/model"
	"laggard/report"
)

// StackTree is the prefix tree of call stacks, as STAT shows it: what ranks have
// in common stands once, from the outermost frame inwards.
type StackTree struct {
	Frame    report.Frame // of the root: zero; without line and address if the function is known
	Lines    []int        // of the function that the stacks go through, ascending
	Ends     []int        // positions of the stacks that end here, ascending
	Children []*StackTree
}

// RankStack is where ranks of one group are: the captured stack of
// least-progressed ranks in computation, else the stack of their MPI call with
// the call itself as the innermost frame.
type RankStack struct {
	Group int    // Group.ID
	Ranks string // as a set
	Stack []report.Frame
}

// RankStacks lists the stacks of all groups, in their order. A group whose ranks
// are at several places has several.
func RankStacks(r *Result) ([]RankStack, error) {
	var out []RankStack
	for _, g := range r.Groups {
		rest, err := model.ParseRankSet(g.Ranks)
		if err != nil {
			return nil, err
		}
		if g.Least && r.LeastProgressed != nil {
			for _, at := range distinctLocations(r.LeastProgressed) {
				there, err := model.ParseRankSet(at.Ranks)
				if err != nil {
					return nil, err
				}
				if there = there.Intersect(rest); there.Len() > 0 {
					out = append(out, RankStack{g.ID, there.String(), at.stackWithCall()})
					rest = rest.Minus(there)
				}
			}
		}
		if rest.Len() > 0 {
			out = append(out, RankStack{g.ID, rest.String(), g.State.stackWithCall()})
		}
	}
	return out, nil
}

func (l Location) stackWithCall() []report.Frame {
	if l.InMPI == nil {
		return l.Stack
	}
	return withCallee(*l.InMPI, l.Stack)
}

func (s State) stackWithCall() []report.Frame {
	if s.Kind != "communication" {
		return s.Stack
	}
	return withCallee(s.MPI, s.Stack)
}

// withCallee puts the function that is called before its caller.
func withCallee(function string, stack []report.Frame) []report.Frame {
	return append([]report.Frame{{Function: function}}, stack...)
}

// NewStackTree merges stacks. Children are in the order in which the stacks
// came to them.
func NewStackTree(stacks []RankStack) *StackTree {
	root := &StackTree{}
	for i, s := range stacks {
		node := root
		for k := len(s.Stack) - 1; k >= 0; k-- {
			node = node.child(s.Stack[k])
		}
		node.Ends = append(node.Ends, i)
	}
	return root
}

// child returns the node of a frame, which it adds if there is none. A function
// is one node, whatever its lines.
func (t *StackTree) child(f report.Frame) *StackTree {
	line := f.Line
	if f.Function != "" || f.Start != "" {
		f.Line, f.Offset = 0, ""
	}
	f.Note, f.Wrapper = "", false
	i := slices.IndexFunc(t.Children, func(c *StackTree) bool { return c.Frame == f })
	if i < 0 {
		i = len(t.Children)
		t.Children = append(t.Children, &StackTree{Frame: f})
	}
	c := t.Children[i]
	if at, known := slices.BinarySearch(c.Lines, line); !known && line > 0 {
		c.Lines = slices.Insert(c.Lines, at, line)
	}
	return c
}

// Text names the node: the function with its file and lines, as far as they are
// known.
func (t *StackTree) Text() string {
	f := t.Frame
	if f.Function == "" || f.File == "" {
		if f.Module == "" && f.Function != "" {
			return f.Function
		}
		return f.String()
	}
	lines := make([]string, len(t.Lines))
	for i, n := range t.Lines {
		lines[i] = strconv.Itoa(n)
	}
	return fmt.Sprintf("%s  %s:%s", f.Function, path.Base(f.File), strings.Join(lines, ","))
}
