package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/report"
	"laggard/report/diagnosis"
	"laggard/report/source"
)

// aroundFrame is how many source lines the page has on each side of one that is
// on a stack.
const aroundFrame = 10

// maxFrames bounds the lines on stacks that source is looked up for.
const maxFrames = 1000

// communicators lists those of the run for the page's filter.
func communicators(sum facts.Summary) []diagnosis.Communicator {
	comms := slices.Clone(sum.Comms)
	slices.SortStableFunc(comms, func(x, y facts.Comm) int { return cmp.Compare(first(x), first(y)) })
	var out []diagnosis.Communicator
	for _, c := range comms {
		out = append(out, diagnosis.Communicator{
			ID: fmt.Sprintf("%x", c.ID), Ranks: c.Groups[0].Union(c.Groups[1]).String(), World: c.World,
		})
	}
	return out
}

// addSources adds to a result the source around its stacks, which the page shows.
func addSources(q question, r *diagnosis.Result) {
	finder := source.Finder{RunDir: q.dir, Roots: q.symbols.Roots, Started: r.Run.Created}
	files, lines := stackLines(r)
	for _, file := range files {
		excerpts, changed := finder.Excerpts(file, lines[file], aroundFrame)
		r.Extra.Sources = append(r.Extra.Sources, excerpts...)
		if changed {
			r.Extra.Changed = append(r.Extra.Changed, file)
		}
	}
}

// first puts MPI_COMM_WORLD before the others.
func first(c facts.Comm) int {
	if c.World {
		return 0
	}
	return 1
}

// stackLines lists the source lines on the stacks of a result: first those of
// the answer, then those of the groups.
func stackLines(r *diagnosis.Result) ([]string, map[string][]int) {
	var files []string
	lines, n := map[string][]int{}, 0
	add := func(stack []report.Frame) {
		for _, f := range stack {
			if f.Line == 0 || n == maxFrames || slices.Contains(lines[f.File], f.Line) {
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

// other is the same question to the algorithm that the page compares with.
func (q question) other() question {
	if q.options.Algorithm == inference.PDI {
		q.options.Algorithm = inference.LoopAware
	} else {
		q.options.Algorithm = inference.PDI
	}
	q.slice = nil // the same code, whatever the order
	return q
}

// writePage writes a page to a file, or to the output if it is named "-".
func (a *app) writePage(name string, page func(io.Writer) error) error {
	if name == "-" {
		return page(a.out)
	}
	if err := pageFile(name, page); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	_, err := fmt.Fprintf(a.out, "the page is %s\n", name)
	return err
}

// pageFile is for the user alone, as the run directory is.
func pageFile(name string, page func(io.Writer) error) error {
	var b bytes.Buffer
	if err := page(&b); err != nil {
		return err
	}
	return wholeFile(name, b.Bytes())
}
