//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// TestInTest: a test that hangs is ended with status 124 and named with its line, and one
// that does not passes without a word.
func TestInTest(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		program, env, dir := f.buildProgram(t, "divergence/emptywrite.c", "-O1"), f.runEnvironment(t), t.TempDir()
		run := func(mode string) outcome {
			args := []string{laggardPath(t), "test", "-o", filepath.Join(dir, mode),
				"--timeout", "4s", "--junit", filepath.Join(dir, mode+".xml"), "--"}
			return startJob(t, env, nil, append(append(args, f.launchCommand(4)...), program, mode)...).wait()
		}
		if got := run("good"); got.status != 0 || strings.Contains(got.stderr, "laggard") {
			t.Errorf("status %d, %s", got.status, got.stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "good")); err == nil {
			t.Error("a test that passed leaves what was recorded")
		}
		got := run("hang")
		text := musttest.Get(os.ReadFile(filepath.Join(dir, "hang.xml")))(t)
		if got.status != 124 || !strings.Contains(got.stderr, "Rank 3 is least progressed") ||
			!strings.Contains(string(text), `failures="1"`) || !strings.Contains(string(text), "emptywrite.c:44") {
			t.Errorf("status %d, %s\n%s", got.status, got.stderr, text)
		}
	})
}
