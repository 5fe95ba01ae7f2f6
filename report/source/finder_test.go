package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/musttest"
	"laggard/report/source"
)

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	musttest.Succeed(t, os.MkdirAll(filepath.Dir(name), 0o755))
	musttest.Succeed(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

func TestExcerpts(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "x.c"), strings.Repeat("a\n", 3)+"\tb\u202e\n"+strings.Repeat("c\n", 20))
	f := source.Finder{RunDir: dir}
	got, changed := f.Excerpts("x.c", []int{14, 4, 5, 99}, 1)
	want := []source.Excerpt{
		{File: "x.c", First: 3, Text: []string{"a", "        b\uFFFD", "c", "c"}},
		{File: "x.c", First: 13, Text: []string{"c", "c", "c"}},
	}
	if d := cmp.Diff(want, got); d != "" || changed {
		t.Error(d, changed)
	}
	f.Started = time.Now().Add(-time.Hour)
	if _, changed := f.Excerpts("x.c", []int{1}, 1); !changed {
		t.Error("a file that is newer than the run is what was compiled")
	}
	f.Started = time.Now().Truncate(time.Second) // as the manifest has it
	if _, changed := f.Excerpts("x.c", []int{1}, 1); changed {
		t.Error("a file from before the run, in the same second, was changed")
	}
}

// TestExcerptsPlaces: files of the other machine go before those of this one,
// and beside the data only the name counts.
func TestExcerptsPlaces(t *testing.T) {
	root, run, here := t.TempDir(), t.TempDir(), t.TempDir()
	own := writeFile(t, filepath.Join(here, "x.c"), "here\n")
	f := source.Finder{RunDir: run, Roots: []string{root}}
	for _, step := range []struct{ name, text string }{
		{own, "here\n"}, {filepath.Join(run, "x.c"), "beside\n"}, {filepath.Join(root, own), "there\n"},
	} {
		writeFile(t, step.name, step.text)
		if got, _ := f.Excerpts(own, []int{1}, 0); len(got) != 1 || got[0].Text[0] != strings.TrimSpace(step.text) {
			t.Errorf("with %s: %v", step.name, got)
		}
	}
}

// TestExcerptsOfNothing: what is no source file is not read, whatever the debug
// information says.
func TestExcerptsOfNothing(t *testing.T) {
	dir := t.TempDir()
	secret := writeFile(t, filepath.Join(dir, "secret"), "secret\n")
	writeFile(t, filepath.Join(dir, "key.pem"), "secret\n")
	writeFile(t, filepath.Join(dir, "long.c"), strings.Repeat("x", 2<<20)+"\n")
	musttest.Succeed(t, os.Mkdir(filepath.Join(dir, "dir.c"), 0o755))
	writeFile(t, filepath.Join(dir, "picture.c"), "\x89PNG\r\n\x1a\n\x00\x00")
	elsewhere := writeFile(t, filepath.Join(t.TempDir(), "theirs.c"), "secret\n")
	for name, to := range map[string]string{
		"link.c": elsewhere, "up.c": "../../../../../.." + elsewhere, "zero.c": "/dev/zero", "to-pipe.c": "pipe.c",
	} {
		musttest.Succeed(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	musttest.Succeed(t, syscall.Mkfifo(filepath.Join(dir, "pipe.c"), 0o600))
	f := source.Finder{RunDir: dir, Roots: []string{"", dir}}
	for _, name := range []string{secret, "secret", "key.pem", "dir.c", "missing.c", "", "../../../etc/passwd",
		"long.c", "picture.c", "link.c", filepath.Join(dir, "link.c"), "up.c", "zero.c", "pipe.c", "to-pipe.c"} {
		if got, _ := f.Excerpts(name, []int{1}, 3); got != nil {
			t.Errorf("%q: %v", name, got)
		}
	}
	if got, _ := f.Excerpts("../../../../"+filepath.Base(dir)+"/x.c", []int{1}, 0); got != nil {
		t.Errorf("a name leads out of the directory: %v", got)
	}
}
