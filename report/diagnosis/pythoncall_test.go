package diagnosis

import (
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/report"
	"laggard/symbol"
)

// pythonCollective is a collective that a line of app.py began by a call of mpi4py.
func pythonCollective(mpi, through string, line int) Begun {
	site := report.Site{Function: "main", File: "/home/u/app.py", Line: line, Through: through}
	frame := report.Frame{Function: "main", File: site.File, Line: line, Language: symbol.Python}
	return Begun{MPI: mpi, Site: site, Stack: []report.Frame{{Function: through, Module: "MPI.so"}, frame}}
}

func TestCalledInTheProgram(t *testing.T) {
	part := func(odd, others Begun) *Result {
		return &Result{Divergences: []Divergence{{Sides: []Side{
			{Ranks: "3", Kind: "skipped", Begun: odd}, {Ranks: "0-2", Begun: others}}}}}
	}
	barrier, gather := pythonCollective("MPI_Barrier", "Comm.barrier", 15), pythonCollective("MPI_Gather", "Comm.gather", 12)
	want := "; in the program rank 3 called Comm.barrier at app.py:15, ranks 0-2 called Comm.gather at app.py:12"
	checktest.Equal(t, want, part(barrier, gather).pythonCallsText())
	inC := gather
	inC.Stack = gather.Stack[:1]
	for name, r := range map[string]*Result{
		"nothing": {}, "the same": part(gather, gather), "in C": part(barrier, inC), "unknown": part(Begun{}, gather),
	} {
		checktest.Equal(t, "", r.pythonCallsText(), name)
	}
}

// TestOneCallOfTheProgram: what one line began by one call is told once.
func TestOneCallOfTheProgram(t *testing.T) {
	calls := mergePythonCalls([]Begun{pythonCollective("MPI_Gather", "Comm.gather", 12), pythonCollective("MPI_Gatherv", "Comm.gather", 12),
		pythonCollective("MPI_Bcast", "Comm.bcast", 13), pythonCollective("MPI_Bcast", "Comm.bcast", 13),
		pythonCollective("MPI_Bcast", "Comm.bcast", 14)})
	want := []string{
		"MPI_Gather and MPI_Gatherv in main (app.py:12), through Comm.gather",
		"MPI_Bcast in main (app.py:13), through Comm.bcast", "MPI_Bcast in main (app.py:14), through Comm.bcast",
	}
	if got := callTexts(calls); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
}
