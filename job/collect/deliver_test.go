package collect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// TestForeign: what another user, or a link, has put where a node's files should be is not brought into the run
// directory.
func TestForeign(t *testing.T) {
	shared, dir := t.TempDir(), t.TempDir()
	live := filepath.Join(shared, "laggard-0000000000000007")
	link := filepath.Join(shared, "link")
	musttest.Succeed(t, os.Mkdir(live, 0o700))
	musttest.Succeed(t, os.WriteFile(filepath.Join(live, "node-a-1.lgd"), []byte("theirs"), 0o600))
	musttest.Succeed(t, os.Symlink(live, link))
	cases := map[string]string{"a link": link}
	if os.Chown(live, 12345, -1) == nil { // only root can
		cases["another user"] = live
	}
	for name, path := range cases {
		if err := CopyFiles(path, dir); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("brought %v, error %v", left, err)
	}
}
