//go:build e2e

package e2e

import (
	"regexp"
	"strconv"
	"testing"
)

// TestQuickStart: nothing large is made when laggard starts, since each rank starts one with `laggard exec`: tables of
// the slicer took 40 ms of each start once.
func TestQuickStart(t *testing.T) {
	t.Parallel()
	env := append(families[0].runEnvironment(t), "GODEBUG=inittrace=1")
	got := runLaggard(t, env, "--version")
	made := regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes`).FindAllStringSubmatch(got.stderr, -1)
	if len(made) < 10 {
		t.Fatalf("what packages make when they start is not told:\n%s", got.stderr)
	}
	for _, m := range made {
		if n, err := strconv.Atoi(m[2]); err != nil || n > 256<<10 {
			t.Errorf("%s makes %s bytes", m[1], m[2])
		}
	}
}
