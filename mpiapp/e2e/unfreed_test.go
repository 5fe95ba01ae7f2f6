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
	t.Parallel()
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
			"once": "",
			"types": fmt.Sprintf("5 datatypes created by MPI_Type_vector in exchange (unfreed.c:%d) were never freed by ranks 0-1",
				lineOf(t, source, "LAGGARD: type */")),
			"requests": fmt.Sprintf("5 requests begun by MPI_Isend in exchange (unfreed.c:%d) were never completed by ranks 0-1",
				lineOf(t, source, "LAGGARD: sent */")),
			"persistent": fmt.Sprintf("5 persistent requests created by MPI_Send_init in exchange (unfreed.c:%d) were never freed "+
				"by ranks 0-1", lineOf(t, source, "LAGGARD: made */")),
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
			d := runLaggard(t, f.runEnvironment(t), "diagnose", dir)
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

// TestUnfreedInLanguages: what Fortran and Python leave is said as of C, and nothing of their correct twins.
func TestUnfreedInLanguages(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		commands := map[string][]string{"unfreed.f90": {f.buildProgram(t, "unfreed.f90", "-O1", "-g")}}
		if f.name == "openmpi" {
			commands["unfreed.py"] = pythonCommand(t, "unfreed.py")
		}
		for source, command := range commands {
			path := filepath.Join(programs, source)
			o := f.startRecorded(t, filepath.Join(t.TempDir(), "run"), f.runEnvironment(t), 2, nil, append(command, "leaks")...).wait()
			for want, end := range map[string]string{
				"6 datatypes created by MPI_Type_vector in ": "LAGGARD: type", "6 requests begun by MPI_Isend in ": "LAGGARD: sent",
			} {
				_, said, found := strings.Cut(o.stderr, want)
				line, _, _ := strings.Cut(said, "\n")
				if place := fmt.Sprintf("(%s:%d)", source, lineOf(t, path, end)); !found || !strings.Contains(line, place) {
					t.Errorf("want %q at %s: %s", want, place, o.stderr)
				}
			}
			o = f.startRecorded(t, filepath.Join(t.TempDir(), "run"), f.runEnvironment(t), 2, nil, command...).wait()
			if o.status != 0 || strings.Contains(o.stderr, "never") {
				t.Errorf("%s: status %d: %s", source, o.status, o.stderr)
			}
		}
	})
}

// TestExhausted: of a job that died for want of memory, diagnose says how many datatypes or requests one call left.
func TestExhausted(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		program := f.buildProgram(t, "exhausts.c", "-O1")
		limited := []string{"sh", "-c", `ulimit -d 70000; exec "$0" "$@"`, program}
		for how, want := range map[string]string{
			"types": " datatypes created by MPI_Type_vector in ", "requests": " requests begun by MPI_Irecv in ",
		} {
			dir := filepath.Join(t.TempDir(), "run")
			o := f.startRecorded(t, dir, f.runEnvironment(t), 2, nil, append(limited, how)...).wait()
			d := runLaggard(t, f.runEnvironment(t), "diagnose", dir)
			if o.status == 0 || !strings.Contains(d.stdout, want) {
				t.Errorf("%s: status %d, want %q: %s", how, o.status, want, d.stdout)
			}
		}
	})
}
