//go:build e2e

package e2e

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
)

// The tests of the recorder alone preload it without laggard run, which would
// not let them prepare the directory.
const (
	preloadRanks = 4
	preloadRunID = 0x17
)

// runPreloaded runs a program with the recorder and settings of a test.
func (f family) runPreloaded(t *testing.T, env []string, dir string, settings []string, stdin io.Reader,
	command ...string) outcome {
	t.Helper()
	args := append(f.launchCommand(preloadRanks), "env", "LD_PRELOAD="+filepath.Join(binaryDir(t), "liblaggard.so"),
		"LAGGARD_DIR="+dir, "LAGGARD_RUN_ID="+model.RunIDText(preloadRunID))
	args = append(args, settings...)
	return startJob(t, env, stdin, append(args, command...)...).wait()
}

// runPlain runs the program as it is.
func (f family) runPlain(t *testing.T, env []string, stdin io.Reader, command ...string) outcome {
	t.Helper()
	return startJob(t, env, stdin, append(f.launchCommand(preloadRanks), command...)...).wait()
}

// compareWithPlain compares a recorded run with one that was not: the same output
// and exit status, and no rank says more than one line. It returns the lines.
func compareWithPlain(t *testing.T, plain, got outcome) []string {
	t.Helper()
	if got.programOutput() != plain.programOutput() || got.status != plain.status {
		t.Errorf("recorded: status %d, %q\nplain: status %d, %q\n%s", got.status, got.stdout, plain.status,
			plain.stdout, got.stderr)
	}
	lines := laggardLines(got.stderr)
	seen := map[string]int{}
	for _, line := range lines {
		_, who, _ := strings.Cut(line, "process ")
		pid, _, _ := strings.Cut(who, ":")
		seen[pid]++
		if seen[pid] > 1 {
			t.Errorf("process %s says more than one line: %q", pid, lines)
		}
	}
	if len(lines) > preloadRanks {
		t.Errorf("%d ranks, %d lines: %q", preloadRanks, len(lines), lines)
	}
	return lines
}

// nodeFile is the path of this host's file in a run directory.
func nodeFile(t *testing.T, dir string) string {
	t.Helper()
	host := musttest.Get(os.Hostname())(t)
	return filepath.Join(dir, "node-"+host+".lgd")
}
