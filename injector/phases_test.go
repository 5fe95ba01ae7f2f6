package injector

import (
	"testing"
	"time"

	"laggard/internal/checktest"
)

// buildFakeMPI builds a program, the MPI library it is linked to and, if wanted, a
// tool that is loaded before that.
func buildFakeMPI(t *testing.T, tool bool) string {
	t.Helper()
	mpi := compileProgram(t, "fakempi", "-shared", "-fPIC", "-O1")
	libraries := []string{"-O1", "-rdynamic", "-Wl,--no-as-needed"}
	if tool {
		libraries = append(libraries, compileProgram(t, "faketool", "-shared", "-fPIC", "-O1"))
	}
	return compileProgram(t, "fakeapp", append(libraries, mpi)...)
}

func phaseCounts(p *Profile) map[string][3]int {
	out := map[string][3]int{}
	for _, f := range p.Functions {
		out[f.Module+" "+f.Function] = [3]int{f.Before, f.Running, f.After}
	}
	return out
}

func TestPhasesAndCallsOfTheProgram(t *testing.T) {
	for _, c := range []struct {
		name  string
		tool  bool
		entry Entry
		want  map[string][3]int
	}{
		{"plain", false, Library, map[string][3]int{
			"fakempi MPI_Init": {0, 1, 0}, "fakempi MPI_Comm_rank": {0, 1, 0}, "fakempi MPI_Send": {0, 5, 0},
			"fakempi MPI_Comm_dup": {0, 1, 0}, "fakempi MPI_Finalize": {0, 1, 0}}},
		{"under a tool", true, Library, map[string][3]int{ // whose own three MPI_Comm_rank do not count
			"fakempi MPI_Init": {0, 1, 0}, "fakempi MPI_Comm_rank": {0, 1, 0}, "fakempi MPI_Send": {0, 6, 0},
			"fakempi MPI_Comm_dup": {0, 1, 0}, "fakempi MPI_Finalize": {0, 1, 0}}},
		{"at the tool", true, Caller, map[string][3]int{
			"faketool MPI_Init": {1, 0, 0}, "faketool MPI_Comm_rank": {0, 1, 0}, "faketool MPI_Send": {0, 5, 0},
			"faketool MPI_Comm_dup": {0, 1, 0}, "faketool MPI_Finalize": {0, 1, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want["fakeapp main"] = [3]int{1, 0, 0}
			c.want["fakeapp step"] = [3]int{2, 5, 1}
			got := phaseCounts(profileOf(t, Profile{Cap: 100, Entry: c.entry}, buildFakeMPI(t, c.tool)))
			checktest.Equal(t, c.want, got)
		})
	}
}

// A strike counts as the profile does: the second MPI_Comm_rank is not there,
// whatever the tool asks for itself.
func TestStrikeCountsCallsOfTheProgram(t *testing.T) {
	program := buildFakeMPI(t, true)
	for n, want := range map[int]State{1: Injected, 2: NotReached} {
		o := strikeAt("MPI_Comm_rank", n, Fault{Kind: Exit, Status: 4})
		o.Strike.Target.Class = MPI
		l := launchProgram(t, o, program)
		l.waitExit(t)
		if r := l.waitReport(t); r.State != want || r.Hits != 1 {
			t.Errorf("entry %d: %+v", n, r)
		}
	}
}

// The rank may be killed at any time: its tracer ends too, whatever it is at.
func TestTracerEndsWithTheProcess(t *testing.T) {
	program := compileProgram(t, "steady", "-O2")
	for i := range 15 {
		l := launchProgram(t, strikeAt("beat", 5, Fault{Kind: Slow, Factor: 3}), program)
		time.Sleep(time.Duration(i*i) * time.Millisecond)
		l.Process.Kill()
		l.waitExit(t) // the tracer holds the program's stderr until it ends
	}
}
