//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// usageSaid is what laggard usage says of a run, and its exit status.
func usageSaid(t *testing.T, dir string) (said usageFindings, status int) {
	t.Helper()
	out := start(t, nil, nil, filepath.Join(binaries(t), "laggard"), "usage", "--json", dir).wait()
	if err := json.Unmarshal([]byte(out.stdout), &said); err != nil {
		t.Fatal(err, out.stderr)
	}
	return said, out.status
}

// TestUsageOfDead: of ranks that were killed or aborted it is not known what they would
// have completed and freed. So nothing is found, and that does not count as no wrong use.
func TestUsageOfDead(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		program := f.build(t, "usagekilled.c", "-O1")
		for _, how := range []string{"kill", "abort"} {
			t.Run(how, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "run")
				f.usageRun(t, dir, 3, program, how).wait()
				said, status := usageSaid(t, dir)
				if said.Complete || status != 4 || len(said.Findings) > 0 ||
					!strings.Contains(strings.Join(said.Incomplete, "\n"), "rank 1: it did not come to MPI_Finalize") {
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
	f := families[0]
	dir := filepath.Join(t.TempDir(), "run")
	if out := f.usageRun(t, dir, 1, f.build(t, "usagespawn.c", "-O1")).wait(); out.status != 0 {
		t.Fatal(out.stderr)
	}
	said, status := usageSaid(t, dir)
	if !said.Complete || status != 0 || len(said.Findings) != 1 || said.Findings[0].Class != "type_mismatch" ||
		!strings.Contains(said.Findings[0].Message, "MPI_Comm_spawn started") {
		t.Errorf("status %d, %+v", status, said)
	}
}

// TestTouched: what the program itself reads and writes while MPI uses the memory is found where ThreadSanitizer is
// built into it, and in a program that waits nothing is. MPICH itself fails under it at the end.
func TestTouched(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		program := f.build(t, "touches.c", "-O1", "-fsanitize=thread")
		for mode, want := range map[string]struct{ class, mark string }{
			"ok": {}, "read": {"receive_buffer_read", "read"}, "write": {"send_buffer_write", "write"},
			"into": {"receive_buffer_write", "into"}, "start": {"receive_buffer_read", "read"},
			"put": {"send_buffer_write", "put"}, "get": {"receive_buffer_read", "get"},
		} {
			t.Run(mode, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "run")
				out := f.usageRun(t, dir, 3, program, mode).wait()
				said, _ := usageSaid(t, dir)
				if mode == "ok" {
					if len(said.Findings) > 0 || strings.Contains(out.stderr, "ThreadSanitizer: data race") {
						t.Errorf("%+v\n%s", said, out.stderr)
					}
					return
				}
				if len(said.Findings) != 1 || said.Findings[0].Class != want.class {
					t.Fatalf("%+v\n%s", said, out.stderr)
				}
				at := said.Findings[0].Locations[0]
				if !covers(marks(t, "touches.c")[want.mark], at.Line) {
					t.Errorf("%+v", said.Findings[0])
				}
			})
		}
	})
}
