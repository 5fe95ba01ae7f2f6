//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// runUsage is what laggard usage says of a run, and its exit status.
func runUsage(t *testing.T, dir string) (said usageFindings, status int) {
	t.Helper()
	status = runForJSON(t, nil, &said, "usage", "--json", dir).status
	return said, status
}

// TestUsageOfDead: of ranks that were killed or aborted it is not known what they would
// have completed and freed. So nothing is found, and that does not count as no wrong use.
func TestUsageOfDead(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "usagekilled.c", "-O1")
		for _, how := range []string{"kill", "abort"} {
			t.Run(how, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "run")
				f.usageRun(t, dir, 3, program, how).wait()
				said, status := runUsage(t, dir)
				if said.Complete || status != 4 || len(said.Findings) > 0 ||
					!strings.Contains(strings.Join(said.Incomplete, "\n"), "rank 1: it did not reach MPI_Finalize") {
					t.Errorf("status %d, complete %v, %q, %v", status, said.Complete, said.Incomplete,
						said.Findings)
				}
			})
		}
	})
}

// TestUsageOfSpawned: processes that MPI_Comm_spawn started are checked, also together,
// and make nothing damaged. MPICH of Debian cannot start any.
func TestUsageOfSpawned(t *testing.T) {
	t.Parallel()
	f := families[0]
	dir := filepath.Join(t.TempDir(), "run")
	f.usageRun(t, dir, 1, f.buildProgram(t, "usagespawn.c", "-O1")).wait().mustSucceed(t)
	said, status := runUsage(t, dir)
	if !said.Complete || status != 0 || len(said.Findings) != 1 || said.Findings[0].Class != "type_mismatch" ||
		!strings.Contains(said.Findings[0].Message, "MPI_Comm_spawn started") {
		t.Errorf("status %d, %+v", status, said)
	}
}

// notOnMPICH are programs that MPICH 4.0 cannot run, and why.
var notOnMPICH = map[string]string{
	"halo_waitany.f90":  "MPI_Waitany of mpi_f08 counts from 0",
	"thread_workers.cc": "it dies under ThreadSanitizer, without a recording too",
}

// TestTouched: what the program itself reads and writes while MPI uses the memory is found where ThreadSanitizer is
// built into it, and in a program that waits nothing is. MPICH itself fails under it at the end.
func TestTouched(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for i, c := range []struct{ mode, class, mark string }{
			{"read", "receive_buffer_read", "read"}, {"write", "send_buffer_write", "write"},
			{"into", "receive_buffer_write", "into"}, {"start", "receive_buffer_read", "read"},
			{"put", "send_buffer_write", "put"}, {"get", "receive_buffer_read", "get"},
		} {
			if f.runsCase(i) {
				t.Run(c.mode, func(t *testing.T) {
					t.Parallel()
					f.checkTouched(t, "touches.c", 3, c.mode, c.class, c.mark)
				})
			}
		}
		t.Run("ok", func(t *testing.T) { f.checkUntouched(t, "touches.c", 3, "ok") })
		paths, err := filepath.Glob(filepath.Join(programs, "touches", "*.*"))
		if err != nil || len(paths) == 0 {
			t.Fatal("no programs: ", err)
		}
		for i, path := range paths {
			if why := notOnMPICH[filepath.Base(path)]; why != "" && f.name == "mpich" || why == "" && !f.runsCase(i) {
				continue
			}
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				text := musttest.Get(os.ReadFile(path))(t)
				source := filepath.Join("touches", filepath.Base(path))
				ranks := 0
				fmt.Sscanf(strings.TrimLeft(string(text), "/*! "), "ranks=%d", &ranks)
				f.checkTouched(t, source, ranks, "faulty", "", "race")
				f.checkUntouched(t, source, ranks, "correct")
			})
		}
	})
}

// checkTouched runs a program that touches memory too early: of its findings, of one class if it is given, each must begin
// on a line with the mark.
func (f family) checkTouched(t *testing.T, source string, ranks int, mode, class, mark string) {
	t.Helper()
	said, stderr := f.usageOfSanitized(t, source, ranks, mode)
	if len(said.Findings) == 0 {
		t.Errorf("nothing is found\n%s", stderr)
	}
	for _, found := range said.Findings {
		if at := found.Locations[0]; !strings.Contains(found.Class, cmp.Or(class, "_buffer_")) ||
			!coversLine(readMarks(t, source)[mark], at.Line) {
			t.Errorf("%+v", found)
		}
	}
}

// checkUntouched runs a program that waits.
func (f family) checkUntouched(t *testing.T, source string, ranks int, mode string) {
	t.Helper()
	said, stderr := f.usageOfSanitized(t, source, ranks, mode)
	if len(said.Findings) > 0 || strings.Contains(stderr, "ThreadSanitizer: data race") {
		t.Errorf("%+v\n%s", said, stderr)
	}
}

func (f family) usageOfSanitized(t *testing.T, source string, ranks int, mode string) (usageFindings, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	out := f.usageRun(t, dir, ranks, f.buildProgram(t, source, "-O1", "-fsanitize=thread"), mode).wait()
	said, _ := runUsage(t, dir)
	return said, out.stderr
}

// TestUsageOfConnected: what MPI_Comm_accept gives one side is what MPI_Comm_connect gives the other. MPICH of Debian cannot open a port.
func TestUsageOfConnected(t *testing.T) {
	t.Parallel()
	f := families[0]
	dir := filepath.Join(t.TempDir(), "run")
	f.usageRun(t, dir, 2, f.buildProgram(t, "connects.c", "-O1")).wait().mustSucceed(t)
	if said, status := runUsage(t, dir); !said.Complete || status != 0 || len(said.Findings) > 0 {
		t.Errorf("status %d, %+v", status, said)
	}
}
