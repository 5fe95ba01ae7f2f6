//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestTruncated: of a message that was too long for its receive, the receive, its room and the call that sent the message are named, and
// how long it was where Open MPI's status has it. Where nothing tells which of several receives it was, none is named.
func TestTruncated(t *testing.T) {
	t.Parallel()
	source := filepath.Join(programs, "truncates.c")
	sent := fmt.Sprintf("rank 0 sent it with MPI_Send in main (truncates.c:%d)", lineOf(t, source, "LAGGARD: sent */"))
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		program := f.buildProgram(t, "truncates.c", "-O1", "-Wno-stringop-overflow")
		long, longOfAll := "the receive buffer has room for 64 bytes",
			"array_of_requests[2] received a message longer than its buffer, which has room for 64 bytes"
		if f.name == "openmpi" {
			long, longOfAll = "the message has 256 bytes, the receive buffer has room for 64",
				"array_of_requests[2] received a message of 256 bytes into a buffer with room for 64"
		}
		for how, want := range map[string]string{"recv": long, "any": long, "exchange": long, "waitall": longOfAll,
			"wait": "the receive buffer has room for 64 bytes", "ignored": ""} {
			dir := filepath.Join(t.TempDir(), "run")
			f.startRecorded(t, dir, f.runEnvironment(t), 3, nil, program, how).wait()
			d := runLaggard(t, f.runEnvironment(t), "diagnose", dir)
			_, because, found := strings.Cut(d.stdout, "because: rank 1: MPI reported an error in ")
			because, _, _ = strings.Cut(because, "\n")
			named := strings.Contains(because, " from rank 0 with tag 7 ")
			if !found || named == (want == "") || !strings.HasSuffix(because, want) || (named && !strings.Contains(d.stdout, sent)) {
				t.Errorf("%s: want %q: %s", how, want, d.stdout)
			}
		}
	})
}
