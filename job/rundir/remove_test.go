package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestRemove: what laggard wrote is removed, with the directory if it holds nothing else.
func TestRemove(t *testing.T) {
	recorded := []string{
		"manifest.json", "node-a.lgd", "seen-a.json", "launcher.json", "signals.json", "values-a.json", ".ending", "not-ended-a.txt",
		"3f/node-b.lgd", "3f/0a/node-c.lgd", "hang/manifest.json", "hang/3f/node-b.lgd", "stood/node-a.lgd",
	}
	own := []string{"output.txt", "results/node-a.lgd", "hang/notes"}
	for _, c := range []struct{ written, kept []string }{{recorded, nil}, {slices.Concat(recorded, own), own}} {
		dir := filepath.Join(t.TempDir(), "run")
		for _, name := range c.written {
			path := filepath.Join(dir, name)
			musttest.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o700))
			musttest.Succeed(t, os.WriteFile(path, nil, 0o600))
		}
		musttest.Succeed(t, Remove(dir))
		for _, name := range c.written {
			_, err := os.Lstat(filepath.Join(dir, name))
			checktest.Equal(t, slices.Contains(c.kept, name), err == nil, name)
		}
		_, err := os.Lstat(dir)
		checktest.Equal(t, len(c.kept) == 0, errors.Is(err, fs.ErrNotExist), "the directory is gone")
	}
	checktest.Equal(t, true, errors.Is(Remove(filepath.Join(t.TempDir(), "none")), fs.ErrNotExist), "no directory")
}
