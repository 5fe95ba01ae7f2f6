package backtrace

import (
	"debug/elf"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/symbol"
)

// TestProgram: the addresses in a lightweight core file are looked up in the
// program.
func TestProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fixed")
	if out, err := exec.Command("cc", "-O0", "-g", "-no-pie", "-o", path,
		"testdata/fixed.c").CombinedOutput(); err != nil {
		t.Skipf("no compiler for it: %v\n%s", err, out)
	}
	program := musttest.Get(symbol.OpenProgram(path))(t)
	if !program.Fixed {
		t.Fatal("the program is not at fixed addresses")
	}
	begin := functionStarts(t, path)
	core := fmt.Sprintf(`+++PARALLEL TOOLS CONSORTIUM LIGHTWEIGHT COREFILE FORMAT version 1.0
+++LCB 1.0
+++ID Rank: 0, TGID: 1, Core: 0, HWTID:0 TID: 1 State: RUN
+++STACK
Frame Address     Saved Link Reg
0000000000000010  %016x
0000000000000020  %016x
0000000000000030  %016x
---STACK
---ID
---LCB
`, begin["MPI_Recv"]+9, begin["exchange"]+24, begin["main"]+22)
	stacks, problems, err := Read("core.0", strings.NewReader(core))
	if err != nil || problems != nil {
		t.Fatal(problems, err)
	}
	job := mustBuild(t, Options{Program: program}, stacks...)
	thread := job.Ranks[0].Threads[0]
	state := thread.Model.States[thread.Op.State]
	if state.Call != "MPI_Recv" || !thread.Op.InMPI {
		t.Errorf("it is in %q, %t", state.Call, thread.Op.InMPI)
	}
	resolver := symbol.New(symbol.Config{})
	defer resolver.Close()
	var got []string
	for _, l := range resolver.ResolveStack(state.Stack, false) {
		got = append(got, fmt.Sprintf("%s %d %t", l.Function, l.Line, l.Exact))
	}
	checktest.Equal(t, []string{"exchange 7 true", "main 13 true"}, got, "stack")
}

// functionStarts returns where the functions of a program begin.
func functionStarts(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	file := musttest.Get(elf.Open(path))(t)
	defer file.Close()
	symbols := musttest.Get(file.Symbols())(t)
	out := map[string]uint64{}
	for _, s := range symbols {
		out[s.Name] = s.Value
	}
	return out
}
