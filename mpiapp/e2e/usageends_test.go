//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

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
				out := start(t, nil, nil, filepath.Join(binaries(t), "laggard"), "usage", "--json", dir).wait()
				var said struct {
					Findings   []any    `json:"findings"`
					Complete   bool     `json:"complete"`
					Incomplete []string `json:"incomplete"`
				}
				if err := json.Unmarshal([]byte(out.stdout), &said); err != nil {
					t.Fatal(err, out.stderr)
				}
				if said.Complete || out.status != 4 || len(said.Findings) > 0 ||
					!strings.Contains(strings.Join(said.Incomplete, "\n"), "rank 1: it did not come to MPI_Finalize") {
					t.Errorf("status %d, complete %v, %q, %v", out.status, said.Complete, said.Incomplete, said.Findings)
				}
			})
		}
	})
}
