package runfiles

import (
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestSubDirectories: node files are found in sub-directories to two levels, and
// nowhere else; what is wrong with one is told with its place.
func TestSubDirectories(t *testing.T) {
	dir, ranks := runDir(t)
	move := func(name, to string) {
		t.Helper()
		musttest.Succeed(t, os.MkdirAll(filepath.Join(dir, to), 0o700))
		musttest.Succeed(t, os.Rename(filepath.Join(dir, name), filepath.Join(dir, to, name)))
	}
	move("node-a.lgd", "3f")
	move("node-b.lgd", "00/ff")
	run := mustOpen(t, dir)
	if len(run.Ranks) != len(ranks) || run.Ranks[0].File != "3f/node-a.lgd" || run.Ranks[2].File != "00/ff/node-b.lgd" {
		t.Errorf("%d ranks, the first in %s, the third in %s", len(run.Ranks), run.Ranks[0].File, run.Ranks[2].File)
	}
	for _, elsewhere := range []string{"xy", "123", "a0/a1/a2"} {
		move("node-c.lgd", elsewhere)
		checktest.Equal(t, 4, len(mustOpen(t, dir).Ranks), "in", elsewhere, "ranks are found")
		musttest.Succeed(t, os.Rename(filepath.Join(dir, elsewhere, "node-c.lgd"), filepath.Join(dir, "node-c.lgd")))
	}
	musttest.Succeed(t, os.Truncate(filepath.Join(dir, "3f/node-a.lgd"), 100))
	run = mustOpen(t, dir)
	if len(run.Problems) != 1 || run.Problems[0].File != "3f/node-a.lgd" {
		t.Errorf("problems: %s", problemText(run.Problems))
	}
}
