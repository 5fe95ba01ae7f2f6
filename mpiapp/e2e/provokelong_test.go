//go:build e2e && long

package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// causes are where each racing program is at fault, as a report names it.
var causes = map[string]string{
	"exchange":   `send of .*exchange\.c:18`,
	"collect":    `wildcard.*collect\.c:3[45]|late.*collect\.c:`,
	"sparse":     `sparse\.c:(15|27)`,
	"parameters": `MPI_Bcast, parameters\.c:`,
	"early":      `receive of .*early\.c:2[78]`,
	"window":     `one-sided operation of .*window\.c:`,
	"counter":    `late at MPI_(Win_flush|Get|Put|Win_unlock).*counter\.c:`,
}

// TestProvokeLong: a racing program fails in up to 50 perturbed runs, for the choice that it depends on; its correct twin
// does not in 100.
func TestProvokeLong(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, name := range racing {
			program := f.buildProgram(t, "provoke/"+name+".c")
			race := f.provoke(t, program, "race", 50)
			if race.status != 3 || !regexp.MustCompile(causes[name]).MatchString(race.stdout) {
				t.Errorf("%s: status %d, %s%s", name, race.status, race.stdout, race.stderr)
			}
			if right := f.provoke(t, program, "right", 100); right.status != 0 {
				t.Errorf("the twin of %s: status %d, %s%s", name, right.status, right.stdout, right.stderr)
			}
		}
	})
}

// provoke runs laggard provoke on a program.
func (f family) provoke(t *testing.T, program, mode string, runs int) outcome {
	t.Helper()
	args := []string{laggardPath(t), "provoke", "-o", filepath.Join(t.TempDir(), "out"), "--runs", fmt.Sprint(runs),
		"--time", "20m", "--"}
	j := startJob(t, f.runEnvironment(t), nil, append(append(args, f.launchCommand(4)...), program, mode)...)
	select {
	case <-j.done:
	case <-time.After(slower * 45 * time.Minute):
		t.Fatalf("%s %s does not end\n%s", program, mode, j.err.String())
	}
	return j.wait()
}
