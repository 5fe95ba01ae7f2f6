package dyninst

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/internal/subprocess"
	"laggard/slicing"
	"laggard/slicing/native"
	"laggard/slicing/slicetest"
	"laggard/symbol"
)

// helperScript writes a helper that is a shell script.
func helperScript(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), program)
	musttest.Succeed(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	return path
}

// testCriterion is a state of a test program.
func testCriterion(t *testing.T) slicing.Criterion {
	t.Helper()
	p := slicetest.Programs(t)[0]
	stub := slicetest.Stub(t)
	return p.Criterion(t, p.Build(t, stub, slicetest.Compiler("gcc", p.Name), "-O0"))
}

// TestFailures: whatever the helper does, the slice is the one of native, and
// says why.
func TestFailures(t *testing.T) {
	c := testCriterion(t)
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	want := musttest.Get(native.New(r, native.Options{}).Slice(context.Background(), c, slicing.Budget{}))(t)
	for name, f := range map[string]struct{ body, note string }{
		"ends":     {"echo 'no memory' >&2; exit 3", "exit status 3: no memory"},
		"killed":   {"kill -9 $$", "signal: killed"},
		"hangs":    {"sleep 1000 & wait", subprocess.ErrTimeout.Error()},
		"garbage":  {"read x; echo garbage; cat", "its answer: invalid character"},
		"length":   {`read x; echo '{"insts":[{"addr":4096,"len":0}]}'; cat`, "instruction at 0x1000: length 0"},
		"register": {`read x; echo '{"insts":[{"addr":4096,"len":2,"dst":99}]}'; cat`, "register 99"},
		"no operands": {`read x; echo '{"insts":[{"addr":4096,"len":2,"move":4,"dst":1}]}'; cat`,
			"without its operands"},
		"refuses": {`while read x; do echo '{"error":"no"}'; done`, "did not take apart"},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(helperScript(t, f.body), r, native.Options{})
			defer s.Close()
			got := musttest.Get(s.Slice(context.Background(), c, slicing.Budget{Time: 2 * time.Second}))(t)
			checktest.Equal(t, want.Lines, got.Lines, "not the slice of native")
			if all := strings.Join(got.Notes, "\n"); !strings.Contains(all, f.note) {
				t.Errorf("notes %q, want %q", all, f.note)
			}
			if own := name == "refuses"; (got.Backend == s.Name()) != own {
				t.Errorf("backend %q", got.Backend)
			}
		})
	}
}

// TestAbsent: a helper that cannot be started is a failure like others.
func TestAbsent(t *testing.T) {
	c := testCriterion(t)
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	s := New(filepath.Join(t.TempDir(), "none"), r, native.Options{})
	defer s.Close()
	got, err := s.Slice(context.Background(), c, slicing.Budget{})
	if err != nil || got.Backend != "native" || len(got.Lines) == 0 || len(got.Notes) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestGivesUp: a helper that keeps failing is not started for ever.
func TestGivesUp(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	f := &front{path: helperScript(t, "echo >>"+starts+"; exit 1")}
	c := testCriterion(t)
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	code := musttest.Get(r.CodeOf(c.Stack[0].Module))(t)
	for range 2 * maxFailures {
		f.beginSlice(context.Background(), time.Minute)
		if _, err := f.Listing(code, c.Stack[0].Offset); err == nil {
			t.Error("no error")
		}
	}
	text, err := os.ReadFile(starts)
	if n := strings.Count(string(text), "\n"); err != nil || n != maxFailures {
		t.Errorf("started %d times, %v", n, err)
	}
}
