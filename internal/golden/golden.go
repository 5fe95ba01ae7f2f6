package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
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
	checktest.Equal(t, string(want), string(got), path, "differs; -update writes it anew")
}
