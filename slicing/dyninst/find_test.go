package dyninst

import (
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestFind: the variable comes first, then the folders around the program, then
// PATH.
func TestFind(t *testing.T) {
	root := t.TempDir()
	put := func(parts ...string) string {
		path := filepath.Join(append([]string{root}, parts...)...)
		musttest.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o755))
		musttest.Succeed(t, os.WriteFile(path, []byte("#!/bin/sh\necho Dyninst 99\n"), 0o755))
		return path
	}
	bin := filepath.Join(root, "bin")
	t.Setenv(HelperEnv, "")
	t.Setenv("PATH", filepath.Join(root, "elsewhere"))
	checktest.Fails(Find(bin))(t, ErrAbsent, "nothing is there")
	places := []string{"bin", "libexec/laggard", "libexec", "lib/laggard", "elsewhere"}
	for _, place := range places {
		put(place, program)
	}
	for _, want := range places {
		path := filepath.Join(root, want, program)
		checktest.Equal(t, path, musttest.Get(Find(bin))(t))
		musttest.Succeed(t, os.Remove(path))
	}
	set := put("set", "other")
	t.Setenv(HelperEnv, set)
	checktest.Equal(t, set, musttest.Get(Find(bin))(t))
	checktest.Equal(t, "Dyninst 99", musttest.Get(Version(set))(t))
	t.Setenv(HelperEnv, filepath.Join(root, "none"))
	checktest.Fails(Find(bin))(t, ErrAbsent, "the variable names nothing")
}
