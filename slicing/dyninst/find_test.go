package dyninst

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

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
	if _, err := Find(bin); !errors.Is(err, ErrAbsent) {
		t.Errorf("nothing is there: %v", err)
	}
	places := []string{"bin", "libexec/laggard", "libexec", "lib/laggard", "elsewhere"}
	for _, place := range places {
		put(place, program)
	}
	for _, want := range places {
		path := filepath.Join(root, want, program)
		if got, err := Find(bin); err != nil || got != path {
			t.Errorf("%s, %v, want %s", got, err, path)
		}
		musttest.Succeed(t, os.Remove(path))
	}
	set := put("set", "other")
	t.Setenv(HelperEnv, set)
	if got, err := Find(bin); err != nil || got != set {
		t.Errorf("%s, %v, want %s", got, err, set)
	}
	if v, err := Version(set); err != nil || v != "Dyninst 99" {
		t.Errorf("%q, %v", v, err)
	}
	t.Setenv(HelperEnv, filepath.Join(root, "none"))
	if _, err := Find(bin); !errors.Is(err, ErrAbsent) {
		t.Errorf("the variable names nothing: %v", err)
	}
}
