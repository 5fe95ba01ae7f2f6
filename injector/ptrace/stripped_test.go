package ptrace

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"laggard/internal/musttest"
)

// A stripped program has its functions still, at the same places.
func TestFunctionsOfAStrippedFile(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	musttest.Run(t, exec.Command("gcc", "-O1", "-g", "-o", whole, "testdata/functions.c"))
	stripped := whole + ".stripped"
	musttest.Run(t, exec.Command("strip", "-o", stripped, whole))
	named := musttest.Get(Functions(whole))(t)
	got := musttest.Get(Functions(stripped))(t)
	for _, name := range []string{"main", "one", "two", "three"} {
		want, ok := FindFunction(named, name)
		if !ok {
			t.Fatalf("no %s in the file as built", name)
		}
		i := slices.IndexFunc(got, func(f Function) bool { return f.Offset == want.Offset })
		if i < 0 || got[i].Name() != "" || got[i].Size < want.Size {
			t.Errorf("%s at %#x of %d bytes: not in %+v", name, want.Offset, want.Size, got)
		}
	}
	if !slices.IsSortedFunc(got, func(a, b Function) int { return int(int64(a.Offset - b.Offset)) }) {
		t.Errorf("out of order: %+v", got)
	}
}
