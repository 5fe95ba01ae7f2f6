package compare

import (
	"fmt"
	"path"
	"slices"

	"laggard/analysis/compare/place"
	"laggard/model"
	"laggard/symbol"
)

// places are the call sites of all runs, with one number for those that correspond.
type places struct {
	list   []callSite
	number [][]int // by run and state
	last   int     // the bad run
	notes  []string
}

// callSite is a place with its stack in each run; nil: that run was not there.
type callSite struct {
	call   string
	site   place.Site // as in the first run that has it
	stacks [][]symbol.Location
}

// newPlaces gives the states of all runs their places. The bad run is the last one.
func newPlaces(runs []*runRead, symbols []symbol.Config) *places {
	p := &places{last: len(runs) - 1}
	for i, r := range runs {
		p.addRun(i, r, symbols[i])
	}
	return p
}

func (p *places) addRun(run int, r *runRead, config symbol.Config) {
	resolver := symbol.New(config)
	defer resolver.Close()
	var sites []place.Site
	var stacks [][]symbol.Location
	at := map[string]int{} // by key
	numbers := make([]int, len(r.States))
	unnamed := map[string]bool{}
	for i, s := range r.States {
		stack := resolver.ResolveStack(s.Stack, false)
		site := newSite(s, stack, unnamed)
		key := site.Key()
		if _, known := at[key]; !known {
			at[key] = len(sites)
			sites, stacks = append(sites, site), append(stacks, stack)
		}
		numbers[i] = at[key]
	}
	p.addSites(run, sites, stacks, numbers)
	p.noteUnnamed(unnamed)
}

// addSites takes over the sites of a run, with their stacks; numbers gives the site of each state.
func (p *places) addSites(run int, sites []place.Site, stacks [][]symbol.Location, numbers []int) {
	found := p.matchSites(sites)
	for i, number := range found {
		if number == place.None {
			found[i] = len(p.list)
			p.list = append(p.list, callSite{sites[i].Call, sites[i], make([][]symbol.Location, p.last+1)})
		}
		p.list[found[i]].stacks[run] = stacks[i]
	}
	out := make([]int, len(numbers))
	for i := range numbers {
		out[i] = found[numbers[i]]
	}
	p.number = append(p.number, out)
}

func (p *places) matchSites(sites []place.Site) []int {
	known := make([]place.Site, len(p.list))
	for i, c := range p.list {
		known[i] = c.site
	}
	return place.Match(sites, known)
}

// noteUnnamed says of which files only addresses are known, which another build does not share.
func (p *places) noteUnnamed(files map[string]bool) {
	for file := range files {
		note := fmt.Sprintf("%s has no symbols: its calls are compared by their addresses, and only with those of the same build", file)
		if !slices.Contains(p.notes, note) {
			p.notes = append(p.notes, note)
		}
	}
	slices.Sort(p.notes)
}

// newSite gives a state's chain of functions. What starts the program is left out, and of a program in Python what is
// not in Python.
func newSite(s *model.State, stack []symbol.Location, unnamed map[string]bool) place.Site {
	out := place.Site{Call: s.Call}
	python := slices.ContainsFunc(stack, func(l symbol.Location) bool { return l.Language == symbol.Python })
	for i, l := range stack {
		if symbol.InSystem(l) || python && l.Language != symbol.Python {
			continue
		}
		build := l.Module
		if m := s.Stack[i].Module; m != nil && m.BuildID != "" {
			build = m.BuildID
		}
		if python {
			build = ""
		}
		for _, c := range l.Calls() {
			step := place.Step{Function: place.PlainFunction(c.Function), Line: c.Line, Offset: l.Offset, Build: build}
			if step.Function == "" {
				step.Function = fmt.Sprintf("%s+%#x of build %s", path.Base(l.Module), l.Start, build)
				unnamed[path.Base(l.Module)] = true
			}
			out.Steps = append(out.Steps, step)
		}
	}
	slices.Reverse(out.Steps)
	if i := slices.IndexFunc(out.Steps, isMain); i > 0 {
		out.Steps = out.Steps[i:]
	}
	return out
}

func isMain(s place.Step) bool { return s.Function == "main" }

// place describes a place.
func (p *places) place(number int) Place {
	c := p.list[number]
	out := Place{Call: c.call, Bad: c.stacks[p.last]}
	for _, stack := range c.stacks[:p.last] {
		if stack != nil {
			out.Good = stack
			break
		}
	}
	return out
}
