package diagnosis

import (
	"testing"

	"laggard/analysis/divergence"
	"laggard/analysis/progress"
	"laggard/analysis/progress/passed"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/report"
	"laggard/report/source"
)

const suite = `def covers(comm):
    comm.allgather(1)
def sums(comm, part):
    assert len(part) == 4
    comm.allreduce(part)
def roots(comm):
    comm.gather(1)
def run(comm, tests):
    for test in tests:
        try:
            test(comm)
        except AssertionError as e:
            print(e)
def stage(comm, store):
    comm.allgather(1)
    data = store.read()
    comm.allreduce(data)
def tried(comm, store):
    for attempt in range(3):
        try:
            return stage(comm, store)
        except OSError:
            pass
def advance(comm, cells):
    active = [s for s in SPECIES if present(s, cells)]
    tables = {s: table(comm, s) for s in active}
    return {s: tables[s].run(comm) for s in active}
def table(comm, s):
    return comm.bcast(s)
def solve(comm, line):
    for k in range(line.most):
        halo(comm, line)
        if line.converged():
            break
def halo(comm, line):
    comm.Sendrecv(line)
run(comm, tests)
tried(comm, store)
advance(comm, cells)
comm.Barrier()
solve(comm, line)
`

// TestPythonBranches: an assertion that fails where it is caught, an exception that is caught in a loop, and the condition of a
// comprehension decide between two calls behind a common one; of an order that nothing explains, nothing is told.
func TestPythonBranches(t *testing.T) {
	p := newPythonProgram(t, suite)
	for name, c := range map[string]struct {
		theirs, own, common string // innermost first
		want                []int
	}{
		"assertion":    {"sums 5, run 11, <module> 37", "roots 7, run 11, <module> 37", "covers 2, run 11, <module> 37", []int{4}},
		"no assertion": {"covers 2, run 11, <module> 37", "roots 7, run 11, <module> 37", "", nil},
		"caught": {"stage 17, tried 21, <module> 38", "stage 15, tried 21, <module> 38", "stage 15, tried 21, <module> 38",
			[]int{22}},
		"caught, other": {"stage 15, tried 21, <module> 38", "stage 17, tried 21, <module> 38", "stage 15, tried 21, <module> 38",
			[]int{22}},
		"filter": {"table 29, advance.<locals>.<dictcomp> 26, advance 26, <module> 39", "<module> 40", "", []int{25}},
		"chosen": {"Mean.run 29, advance.<locals>.<dictcomp> 27, advance 27, <module> 39",
			"Sum.run 7, advance.<locals>.<dictcomp> 27, advance 27, <module> 39", "", []int{25}},
		"each in turn": {"table 29, advance.<locals>.<dictcomp> 27, advance 27, <module> 39",
			"roots 7, advance.<locals>.<dictcomp> 27, advance 27, <module> 39", "", nil},
	} {
		calls := []divergence.Call{{State: p.state("MPI_Allreduce", c.theirs)}, {State: p.state("MPI_Gather", c.own)}, {}}
		o := divergence.Odd{Deviation: divergence.Deviation{Kind: divergence.Mismatch, Theirs: calls[:1], Calls: calls[1:2]}}
		if c.common != "" {
			calls[2].State = p.state("MPI_Allgather", c.common)
			o.Shared = &calls[2]
		}
		got := siteNumbers(pythonDeciders{Source: p.source(&progress.Result{})}.pythonBranch(&o, false))
		checktest.EqualList(t, c.want, got, name, "decided at")
	}
}

func siteNumbers(sites []report.Site) (out []int) {
	for _, site := range sites {
		out = append(out, site.Line)
	}
	return out
}

// TestLeftLoop: who left the loop in which the receiver still is did so by its condition, or by its end.
func TestLeftLoop(t *testing.T) {
	p := newPythonProgram(t, suite)
	send, barrier := p.state("MPI_Sendrecv", "halo 36, solve 32, <module> 41"), p.state("MPI_Barrier", "<module> 40")
	for _, c := range []struct {
		receiver string
		want     []int
	}{
		{"halo 36, solve 32, <module> 41", []int{33, 31}},
		{"<module> 40", nil}, // it is in no such loop
	} {
		s := p.source(&progress.Result{})
		w := waysOf(s.newMadeCall(send).Stack, s.newMadeCall(barrier).Stack)
		receiver := pythonFrames(s.newMadeCall(p.state("MPI_Recv", c.receiver)).Stack)
		checktest.EqualList(t, c.want, siteNumbers(leftLoop(w, receiver, source.Finder{})), "receiver in", c.receiver, "decided at")
	}
}

// TestOneLine: two calls from one line of the program were decided by conditions around it, unless the ways parted in a package, or the
// calls are the same with other arguments.
func TestOneLine(t *testing.T) {
	p := newPythonProgram(t, "def main(comm, more):\n    if more:\n        solve(comm)\nmain(comm, True)\n")
	at := func(call string, line uint64) *model.State {
		s := p.state(call, "main 3, <module> 4")
		inside := model.Frame{Module: model.PythonModule("/usr/lib/python3/dist-packages/solver.py", "solve"), Offset: line}
		s.Stack = append([]model.Frame{inside}, s.Stack...)
		s.ID = s.ContentID()
		return s
	}
	for name, c := range map[string]struct {
		kind divergence.Kind
		own  *model.State
		want []int
	}{
		"other calls":          {divergence.Mismatch, at("MPI_Gather", 5), []int{2}},
		"other arguments":      {divergence.Arguments, at("MPI_Allreduce", 5), nil},
		"decided in a package": {divergence.Mismatch, at("MPI_Gather", 9), nil},
	} {
		calls := []divergence.Call{{State: at("MPI_Allreduce", 5)}, {State: c.own}}
		o := divergence.Odd{Deviation: divergence.Deviation{Kind: c.kind, Theirs: calls[:1], Calls: calls[1:]}}
		got := pythonDeciders{Source: p.source(&progress.Result{})}.pythonBranch(&o, false)
		checktest.EqualList(t, c.want, siteNumbers(got), name, "decided at")
		if c.kind == divergence.Mismatch {
			skipped := []passed.Call{{State: calls[0].State, From: calls[0].State, To: c.own, Sends: true}}
			r := &Result{}
			AddPassed(r, p.source(&progress.Result{Passed: skipped}), source.Finder{})
			checktest.Equal(t, len(c.want), len(r.Passed), name, "passed")
		}
	}
}

// TestCached: a function that keeps its results need not have been entered, unless the other side is in it, too.
func TestCached(t *testing.T) {
	p := newPythonProgram(t, `@cache
def weight(n):
    total = comm.allreduce(n)
    if n > 1:
        comm.bcast(n)
    return total
def main(parts):
    for n in parts:
        weight(n)
    comm.barrier()
main([1, 2])
`)
	for own, want := range map[string][]int{"main 10, <module> 11": {1, 8}, "weight 5, main 9, <module> 11": {}} {
		calls := []divergence.Call{{State: p.state("MPI_Allreduce", "weight 3, main 9, <module> 11")}, {State: p.state("MPI_Barrier", own)}}
		o := divergence.Odd{Deviation: divergence.Deviation{Kind: divergence.LoopCount, Theirs: calls[:1], Calls: calls[1:], Fewer: true,
			Instead: &calls[1]}}
		got := siteNumbers(pythonDeciders{Source: p.source(&progress.Result{})}.pythonBranch(&o, false))
		checktest.EqualList(t, want, got, own, "decided at")
	}
}
