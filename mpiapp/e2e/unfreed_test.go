//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnfreed: a job that finished says what was never freed, and nothing of what is freed within MPI_Finalize.
func TestUnfreed(t *testing.T) {
	source := filepath.Join("..", "testdata", "programs", "unfreed.c")
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		program := f.buildProgram(t, "unfreed.c", "-O1")
		for how, want := range map[string]string{
			"none": "", "finalize": "",
			"leaks": fmt.Sprintf("4 communicators created by MPI_Comm_split in relax (unfreed.c:%d) were never freed by ranks 0-1",
				lineOf(t, source, "LAGGARD: created */")),
			"file": fmt.Sprintf("1 file opened by MPI_File_open in main (unfreed.c:%d) was never closed by ranks 0-1",
				lineOf(t, source, "LAGGARD: opened */")),
		} {
			dir := filepath.Join(t.TempDir(), "run")
			o := f.startRecorded(t, dir, f.runEnvironment(t), 2, nil, program, how).wait()
			_, said, _ := strings.Cut(o.stderr, "never")
			switch {
			case o.status != 0:
				t.Errorf("%s: status %d: %s", how, o.status, o.stderr)
			case want == "" && said != "":
				t.Errorf("%s: %s", how, o.stderr)
			case want != "" && !strings.Contains(o.stderr, "laggard: "+want+"\n"):
				t.Errorf("%s: want %q: %s", how, want, o.stderr)
			}
			d := runCommand(t, f.runEnvironment(t), filepath.Join(binaryDir(t), "laggard"), "diagnose", dir)
			if !strings.Contains(d.stdout, want) {
				t.Errorf("%s: diagnose does not say %q: %s", how, want, d.stdout)
			}
		}
		env := append(f.runEnvironment(t), "LAGGARD_LEAKS=0")
		o := f.startRecorded(t, filepath.Join(t.TempDir(), "run"), env, 2, nil, program, "leaks").wait()
		if o.status != 0 || strings.Contains(o.stderr, "never") {
			t.Errorf("status %d: %s", o.status, o.stderr)
		}
	})
}
