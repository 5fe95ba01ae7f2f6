//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
)

// TestIntegersOfEightBytes: calls of Fortran with such INTEGERs cannot be read; the program runs as without the recorder, which says so.
func TestIntegersOfEightBytes(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		library := f.buildProgram(t, "integer8.c", "-shared", "-fPIC", "-DLIBRARY")
		program := f.buildProgram(t, "integer8.c", "-Wl,--no-as-needed", library)
		got := f.startRecorded(t, filepath.Join(t.TempDir(), "run"), f.runEnvironment(t), 2, nil, program).wait().mustSucceed(t)
		for _, rank := range []string{"rank 0", "rank 1"} {
			checktest.Contains(t, got.stdout, rank+": 1770 of 1770\n")
		}
		checktest.Contains(t, got.stderr, "Fortran's INTEGER has 8 bytes in this MPI: its calls cannot be recorded")
	})
}
