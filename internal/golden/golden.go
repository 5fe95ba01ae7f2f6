package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/musttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Check fails the test if got is not what the file of that name in testdata
// holds; with -update it writes the file first.
func Check(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		musttest.Succeed(t, os.WriteFile(path, got, 0o644))
	}
	want := musttest.Get(os.ReadFile(path))(t)
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("differs from %s (-update writes it anew):\n%s", path, d)
	}
}
