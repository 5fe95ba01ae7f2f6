package diagnosis

import (
	"cmp"
	"fmt"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/report"
	"laggard/report/source"
)

// aroundFrame is how many source lines the page has on each side of one that is
// on a stack.
const aroundFrame = 10

// maxStackLines bounds the lines on stacks that source is looked up for.
const maxStackLines = 1000

// communicators lists those of the run for the page's filter.
func communicators(comms []facts.Comm, named []NamedComm) []Communicator {
	comms = slices.Clone(comms)
	slices.SortStableFunc(comms, func(x, y facts.Comm) int { return cmp.Compare(worldFirstKey(x), worldFirstKey(y)) })
	var out []Communicator
	for _, c := range comms {
		one := Communicator{ID: fmt.Sprintf("%x", c.ID), Ranks: c.Groups[0].Union(c.Groups[1]).String(), World: c.World}
		if i := slices.IndexFunc(named, func(n NamedComm) bool { return n.ID == one.ID }); i >= 0 {
			one.Name = named[i].Name
		}
		out = append(out, one)
	}
	return out
}

// AddSources adds to a result the source around its stacks, which the page shows.
func AddSources(r *Result, finder source.Finder) {
	files, lines := stackLines(r)
	for _, file := range files {
		excerpts, changed := finder.Excerpts(file, lines[file], aroundFrame)
		r.Extra.Sources = append(r.Extra.Sources, excerpts...)
		if changed {
			r.Extra.Changed = append(r.Extra.Changed, file)
		}
	}
}

// worldFirstKey puts MPI_COMM_WORLD before the others.
func worldFirstKey(c facts.Comm) int {
	if c.World {
		return 0
	}
	return 1
}

// stackLines lists the source lines on the stacks of a result: first those of
// the answer, then those of the groups.
func stackLines(r *Result) ([]string, map[string][]int) {
	var files []string
	lines, n := map[string][]int{}, 0
	add := func(stack []report.Frame) {
		for _, f := range stack {
			if f.Line == 0 || n == maxStackLines || slices.Contains(lines[f.File], f.Line) {
				continue
			}
			if lines[f.File] == nil {
				files = append(files, f.File)
			}
			lines[f.File] = append(lines[f.File], f.Line)
			n++
		}
	}
	if r.LeastProgressed != nil {
		for _, l := range r.LeastProgressed.Locations {
			add(l.Stack)
		}
	}
	for _, g := range r.Groups {
		add(g.State.Stack)
	}
	return files, lines
}
