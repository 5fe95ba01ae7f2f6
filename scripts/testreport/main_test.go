package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func TestReport(t *testing.T) {
	text := musttest.Get(os.ReadFile("testdata/test-e2e.json"))(t)
	dir := t.TempDir()
	allowed := filepath.Join(dir, "allowed.txt")
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "test-e2e.json"), text, 0o600))
	for patterns, want := range map[string]bool{
		"# Debian has it for one MPI.\npetsc4py is for Open MPI$\n": false,
		"petsc4py is for Open MPI$\nTestPython: no mpi4py\n":        true,
	} {
		musttest.Succeed(t, os.WriteFile(allowed, []byte(patterns), 0o600))
		var out bytes.Buffer
		ok := musttest.Get(printReport(&out, dir, allowed))(t)
		checktest.Equal(t, want, ok, &out)
		mark := ""
		if !want {
			mark = "  [NOT ALLOWED IN CI]"
		}
		log := filepath.Join(dir, "first-tries", "test-e2e_mpiapp_e2e_TestHangs_a_ring.log")
		if got, want := out.String(), `2 tests were skipped
  test-e2e mpiapp/e2e TestPetsc/mpich: petsc4py is for Open MPI
  test-e2e mpiapp/e2e TestPython: no mpi4py (Debian: python3-mpi4py)`+mark+`
1 tests passed at a second try only
  test-e2e mpiapp/e2e TestHangs/a/ring: `+log+"\n        hang_test.go:9: the launcher failed\n"; got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		if said, err := os.ReadFile(log); err != nil || !bytes.Contains(said, []byte("the launcher failed")) {
			t.Errorf("%q, %v", said, err)
		}
	}
}

// TestAllowedSkips: the patterns of the project compile.
func TestAllowedSkips(t *testing.T) {
	if patterns, err := readPatterns("../allowed-skips.txt"); err != nil || len(patterns) == 0 {
		t.Errorf("%d patterns, %v", len(patterns), err)
	}
}
