//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// petscDir is where Debian has petsc4py, for real numbers; its version is in the path.
const petscDir = "/usr/lib/petscdir/petsc*/x86_64-linux-gnu-real"

// TestPetsc lets programs on petsc4py hang, as TestPython does: their callbacks in Python are
// called by a library in C.
func TestPetsc(t *testing.T) {
	t.Parallel()
	dirs, _ := filepath.Glob(petscDir)
	if len(dirs) == 0 {
		t.Skip("no petsc4py (Debian: python3-petsc4py)")
	}
	env := "PETSC_DIR=" + dirs[0]
	c := exec.Command(pythonExe, "-c", "import petsc4py, mpi4py")
	if c.Env = append(os.Environ(), env); c.Run() != nil {
		t.Skip("no petsc4py (Debian: python3-petsc4py)")
	}
	eachFamily(t, func(t *testing.T, f family) {
		if f.abi || f.name != "openmpi" { // Debian has petsc4py for one
			t.Skip("petsc4py is for Open MPI")
		}
		f.env = append(slices.Clip(f.env), env)
		for i, h := range pythonHangs(t, "petsc") {
			if i%2 > 0 && !runEverything() {
				continue
			}
			t.Run(filepath.Base(h.program), func(t *testing.T) {
				t.Parallel()
				f.checkPythonHang(t, h)
				f.checkPythonTwin(t, h)
			})
		}
	})
}
