package compare

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/reduce/reducetest"
)

// TestTranscripts compares the runs in testdata; -rewrite writes what came out. "run" gives a name to a run: a line names a
// place ("irecv: MPI_Irecv main:10 exchange:31") or says what ranks called ("ranks 0-3: init (irecv isend wait)*60 fin"). A
// rank whose last call is not MPI_Finalize was cut off in it. Further lines are explained in program_test.go. "compare" has
// the good runs and, last, the bad one.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		runs := map[string]*testRun{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "run":
				var name string
				size := 4
				d.ScanArgs(t, "name", &name)
				d.MaybeScanArgs(t, "size", &size)
				r, err := parseTestRun(size, d.Input)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				runs[name] = r
				return ""
			}
			var list []*testRun
			for _, name := range strings.Fields(d.Input) {
				list = append(list, runs[name])
			}
			return formatFindings(compareRuns(list).Findings)
		})
	})
}

func compareRuns(list []*testRun) *Result {
	var read []*runRead
	for _, r := range list {
		read = append(read, r.read())
	}
	var out Result
	newComparison(placesOf(list, read), read).answer(&out)
	return &out
}

// TestRunsLaws: any tree over the shares gives the same ranks.
func TestRunsLaws(t *testing.T) {
	program := `init: MPI_Init main:1
isend: MPI_Isend main:5 exchange:31
recv: MPI_Recv main:5 exchange:33
sum: MPI_Allreduce main:6
fin: MPI_Finalize main:9
`
	build := func() [][]*runRead {
		var out [][]*runRead
		for _, part := range []string{
			"ranks 0-1: init (isend recv)*5 sum fin\nmessage 0-1: to +1 tag 3 5 isend",
			"ranks 2-5: init (recv isend)*5 sum fin\ncollective 2: sum 1 root=0 bytes=8",
			"ranks 6: init sum recv\nerror 6: recv 1 truncated\nopen 6: recv",
			"ranks 7: init (isend recv)*5 sum fin\nmessage 7: to +1 tag 3 5 isend\nsent 7: isend 5 40",
			"ranks 8-9: init (isend recv)*5 sum fin\nmessage 8-9: to +1 tag 3 5 isend",
		} {
			r := musttest.Get(parseTestRun(10, program+part))(t)
			out = append(out, []*runRead{r.read(), newRunRead()})
		}
		return out
	}
	checktest.ErrorIs(t, nil, reducetest.Laws(runsRead, build, 30, rand.New(rand.NewPCG(3, 4))))
}

// TestRunIsLikeItself: a program is no different from itself, whatever it does.
func TestRunIsLikeItself(t *testing.T) {
	for seed := range uint64(200) {
		program := randomProgram(rand.New(rand.NewPCG(seed, 5)))
		var list []*testRun
		for range 2 {
			r := musttest.Get(parseTestRun(6, program))(t)
			list = append(list, r)
		}
		if found := compareRuns(list).Findings; len(found) > 0 {
			t.Errorf("seed %d:\n%s%s", seed, program, formatFindings(found))
		}
	}
}

// TestPrefixOfRunIsNoDifference: a run that was cut off anywhere did nothing that the whole one did not.
func TestPrefixOfRunIsNoDifference(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 6))
		program := randomProgram(rng)
		whole := musttest.Get(parseTestRun(6, program))(t)
		var cut strings.Builder
		for line := range strings.Lines(program) {
			what, calls, _ := strings.Cut(line, ":")
			if strings.HasPrefix(what, "ranks") {
				all := unrollCalls(calls)
				line = what + ": " + strings.Join(all[:1+rng.IntN(len(all)-1)], " ") + "\n"
			}
			cut.WriteString(line)
		}
		part := musttest.Get(parseTestRun(6, cut.String()))(t)
		if found := compareRuns([]*testRun{whole, part}).Findings; len(found) > 0 {
			t.Errorf("seed %d:\n%s%s%s", seed, program, cut.String(), formatFindings(found))
		}
	}
}

// randomProgram has a few loops and branches, two roles of ranks and one rank that differs.
func randomProgram(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("init: MPI_Init main:1\nfin: MPI_Finalize main:99\n")
	calls := []string{"MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce", "MPI_Bcast"}
	names := []string{"a", "b", "c", "d", "e", "f"}
	for i, name := range names {
		b.WriteString(name + ": " + calls[rng.IntN(len(calls))] + " main:" + string(rune('1'+i)) + "0 step:" + string(rune('1'+i)) + "5\n")
	}
	for _, ranks := range []string{"0", "1-3", "4-5"} {
		b.WriteString("ranks " + ranks + ": init " + randomCalls(rng, names, 3) + " fin\n")
	}
	return b.String()
}

func randomCalls(rng *rand.Rand, names []string, depth int) string {
	var b strings.Builder
	for range 1 + rng.IntN(4) {
		if depth > 0 && rng.IntN(3) == 0 {
			b.WriteString("(" + randomCalls(rng, names, depth-1) + ")*" + string(rune('2'+rng.IntN(6))) + " ")
			continue
		}
		b.WriteString(names[rng.IntN(len(names))] + " ")
	}
	return b.String()
}
