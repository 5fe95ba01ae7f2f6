//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"laggard/internal/musttest"
)

// laggardPath is the path of the program.
func laggardPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(binaryDir(t), "laggard")
}

// runLaggard runs a command of laggard to its end.
func runLaggard(t *testing.T, env []string, words ...string) outcome {
	t.Helper()
	return runCommand(t, env, append([]string{laggardPath(t)}, words...)...)
}

// runForJSON runs a command of laggard that prints JSON, and reads that.
func runForJSON(t *testing.T, env []string, said any, words ...string) outcome {
	t.Helper()
	got := runLaggard(t, env, words...)
	musttest.Succeed(t, json.Unmarshal([]byte(got.stdout), said), words, "exit status", got.status, got.stdout, got.stderr)
	return got
}

// underRun is the command that starts a program under laggard run with flags.
func (f family) underRun(t *testing.T, dir string, flags []string, ranks int, command ...string) []string {
	t.Helper()
	return slices.Concat([]string{laggardPath(t), "run", "-o", dir}, flags, []string{"--"}, f.launchCommand(ranks), command)
}
