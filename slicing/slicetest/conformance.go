package slicetest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
	"laggard/symbol"
)

// subject is a program that was built and what is sliced of it.
type subject struct {
	exe       string
	criterion slicing.Criterion
}

// Conformance holds a backend against what slicing.Slicer promises, whatever it
// finds: on binaries that are stripped, cut, changed or missing as well.
func Conformance(t *testing.T, backend New) {
	requireTool(t, "gcc")
	s := buildSubject(t, "pointer.c")
	for _, c := range []struct {
		name string
		test func(*testing.T, New, subject)
	}{
		{"Repeats", testRepeatable}, {"Budgets", testBudgets}, {"Cancelled", testCancelled}, {"Concurrent", testConcurrent},
		{"Loops", testComputingLoop},
		{"Stripped", testStripped}, {"Functions", testFunctions}, {"Separate", testSeparateDebug},
		{"OtherBuild", testOtherBuild}, {"Missing", testMissingFile},
		{"Cut", testTruncatedFile},
		{"NoStack", testNoStack}, {"WrongAddress", testWrongAddress}, {"NoModule", testNoModule},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, backend, s) })
	}
}

func buildSubject(t *testing.T, name string) subject {
	t.Helper()
	for _, p := range Programs(t) {
		if p.Name == name {
			exe := p.Build(t, Stub(t), Compiler("gcc", name), "-O0")
			return subject{exe, p.Criterion(t, exe)}
		}
	}
	t.Fatalf("no program %s", name)
	return subject{}
}

// makeSlice makes a slice with a resolver that looks in the directories of c only.
func makeSlice(t *testing.T, backend New, c symbol.Config, what slicing.Criterion, b slicing.Budget) (slicing.Slice,
	error) {
	t.Helper()
	if c.DebugDirs == nil {
		c.DebugDirs = []string{}
	}
	r := symbol.New(c)
	defer r.Close()
	s, err := backend(r).Slice(context.Background(), what, b)
	if err == nil {
		wellFormed(t, s)
	}
	return s, err
}

func fullSlice(t *testing.T, backend New, s subject) slicing.Slice {
	t.Helper()
	out, err := makeSlice(t, backend, symbol.Config{}, s.criterion, slicing.Budget{})
	if err != nil || len(out.Lines) < 5 || out.Truncated {
		t.Fatalf("%+v, %v", out, err)
	}
	return out
}

// testRepeatable: the same question has the same answer, also of a Slicer that has
// answered before.
func testRepeatable(t *testing.T, backend New, s subject) {
	want := fullSlice(t, backend, s)
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	slicer := backend(r)
	if slicer.Name() != want.Backend {
		t.Errorf("the slice is of %q, the backend is %q", want.Backend, slicer.Name())
	}
	for range 3 {
		if got, err := slicer.Slice(context.Background(), s.criterion, slicing.Budget{}); err != nil ||
			!reflect.DeepEqual(got, want) {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
	}
}

// testBudgets: less depth gives fewer lines, the nearest ones, and says so.
func testBudgets(t *testing.T, backend New, s subject) {
	all := fullSlice(t, backend, s)
	for _, b := range []slicing.Budget{{Depth: 1}, {Nodes: 4}} {
		got, err := makeSlice(t, backend, symbol.Config{}, s.criterion, b)
		if err != nil || !got.Truncated || len(got.Lines) >= len(all.Lines) || len(got.Notes) == 0 {
			t.Errorf("%+v: %+v, %v", b, got, err)
		}
		for _, l := range got.Lines {
			if b.Depth > 0 && l.Distance > b.Depth {
				t.Errorf("%+v: line %+v", b, l)
			}
		}
	}
	begin := time.Now()
	if _, err := makeSlice(t, backend, symbol.Config{}, s.criterion, slicing.Budget{Time: time.Nanosecond}); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("no time: took %s", took)
	}
}

func testCancelled(t *testing.T, backend New, s subject) {
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	begin := time.Now()
	if _, err := backend(r).Slice(ctx, s.criterion, slicing.Budget{}); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

func testConcurrent(t *testing.T, backend New, s subject) {
	want := fullSlice(t, backend, s)
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	slicer := backend(r)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if got, err := slicer.Slice(context.Background(), s.criterion, slicing.Budget{}); err != nil ||
				!reflect.DeepEqual(got, want) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	wait.Wait()
}

// testComputingLoop: a program counter in a loop is a criterion too, wherever it is in
// the loop: what the loop changes belongs to the slice.
func testComputingLoop(t *testing.T, backend New, _ subject) {
	s := buildSubject(t, "spin.c")
	out := fullSlice(t, backend, s)
	if !slices.ContainsFunc(out.Lines, func(l slicing.Line) bool { return l.Kind == slicing.Control }) {
		t.Errorf("no condition keeps it in the loop: %+v", out.Lines)
	}
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	text := Source(filepath.Join(testdataDir(), "programs", "spin.c"))
	line := func(part string) int {
		return 1 + slices.IndexFunc(text, func(l string) bool { return strings.Contains(l, part) })
	}
	first, changed, last := line("while (err > tol)"), line("err = (y - x)"), line("n++")
	caller := s.criterion.Stack[1:]
	tried := 0
	for off := caller[0].Offset; off < caller[0].Offset+100; off++ { // from the return of the call in it
		c := slicing.Criterion{Stack: slices.Clone(caller), Exact: true}
		c.Stack[0].Offset = off
		if at := r.Resolve(c.Stack[0], false).Line; at < first || at > last {
			continue
		}
		got, err := makeSlice(t, backend, symbol.Config{}, c, slicing.Budget{})
		if err != nil || hasNote(got, "left out") {
			continue // the address is within an instruction
		}
		tried++
		if !slices.ContainsFunc(got.Lines, func(l slicing.Line) bool { return l.Line == changed }) {
			t.Fatalf("at %#x the slice lacks line %d: %+v", off, changed, got.Lines)
		}
	}
	if tried < 8 {
		t.Errorf("only %d places in the loop", tried)
	}
}

// changedCopy puts a changed copy of the program into a folder of its own.
func changedCopy(t *testing.T, s subject, change func([]byte) []byte) symbol.Config {
	t.Helper()
	text := musttest.Get(os.ReadFile(s.exe))(t)
	dir := t.TempDir()
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, filepath.Base(s.exe)), change(text), 0o700))
	return symbol.Config{Roots: []string{dir}}
}

// movedCriterion is the criterion of a program that is not at its recorded path.
func movedCriterion(s subject) slicing.Criterion {
	c := s.criterion
	moved := map[*model.Module]*model.Module{}
	c.Stack = append([]model.Frame(nil), c.Stack...)
	for i, f := range c.Stack {
		if moved[f.Module] == nil {
			m := *f.Module
			if m.Path == s.exe {
				m.Path = "/nowhere/" + filepath.Base(m.Path)
			}
			moved[f.Module] = &m
		}
		c.Stack[i].Module = moved[f.Module]
	}
	return c
}

func testStripped(t *testing.T, backend New, s subject) {
	requireTool(t, "strip")
	c := changedCopy(t, s, func(b []byte) []byte { return b })
	runTool(t, c.Roots[0], "strip", filepath.Base(s.exe))
	got, err := makeSlice(t, backend, c, movedCriterion(s), slicing.Budget{})
	if err != nil || len(got.Lines) > 0 || !hasNote(got, "no debug information") {
		t.Errorf("%+v, %v", got, err)
	}
	linesOnly := slicing.Budget{NeedsLines: true}
	if got, err := makeSlice(t, backend, c, movedCriterion(s), linesOnly); !errors.Is(err, slicing.ErrNothing) {
		t.Errorf("with lines only: %+v, %v", got, err)
	}
	if got, err := makeSlice(t, backend, symbol.Config{}, s.criterion, linesOnly); err != nil || len(got.Lines) == 0 {
		t.Errorf("with lines only, of the whole program: %+v, %v", got, err)
	}
}

// testFunctions: of code that has names but no lines the functions are in the slice, each once.
func testFunctions(t *testing.T, backend New, s subject) {
	requireTool(t, "strip")
	c := changedCopy(t, s, func(b []byte) []byte { return b })
	runTool(t, c.Roots[0], "strip", "--strip-debug", filepath.Base(s.exe))
	want := map[string]bool{}
	for _, l := range fullSlice(t, backend, s).Lines {
		want[l.Function] = true
	}
	got, err := makeSlice(t, backend, c, movedCriterion(s), slicing.Budget{})
	if err != nil || !hasNote(got, "no debug information") {
		t.Errorf("%+v, %v", got, err)
	}
	seen := map[string]bool{}
	for _, l := range got.Lines {
		if l.Line != 0 || filepath.Base(l.File) != filepath.Base(s.exe) || seen[l.Function] {
			t.Errorf("not a function, or one that is there twice: %+v", l)
		}
		seen[l.Function] = true
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("functions of the slice with lines, and without (-, +):\n%s", diff)
	}
}

// testSeparateDebug: debug information in a folder by build-id is as good as in the file.
func testSeparateDebug(t *testing.T, backend New, s subject) {
	requireTool(t, "objcopy")
	want := fullSlice(t, backend, s)
	c := changedCopy(t, s, func(b []byte) []byte { return b })
	id := s.criterion.Stack[0].Module.BuildID
	debug := filepath.Join(c.Roots[0], "debug", ".build-id", id[:2])
	musttest.Succeed(t, os.MkdirAll(debug, 0o700))
	runTool(t, c.Roots[0], "objcopy", "--only-keep-debug", s.exe, filepath.Join(debug, id[2:]+".debug"))
	runTool(t, c.Roots[0], "strip", filepath.Base(s.exe))
	c.DebugDirs = []string{filepath.Join(c.Roots[0], "debug")}
	got, err := makeSlice(t, backend, c, movedCriterion(s), slicing.Budget{})
	if err != nil || !reflect.DeepEqual(got.Lines, want.Lines) {
		t.Errorf("%+v, %v, want %+v", got, err, want.Lines)
	}
}

// testOtherBuild: a file that is not the recorded one gives no lines at all.
func testOtherBuild(t *testing.T, backend New, s subject) {
	id := s.criterion.Stack[0].Module.BuildID
	raw := make([]byte, len(id)/2)
	for i := range raw {
		raw[i] = hexDigit(id[2*i])<<4 | hexDigit(id[2*i+1])
	}
	c := changedCopy(t, s, func(b []byte) []byte {
		return bytes.ReplaceAll(b, raw, bytes.Repeat([]byte{0xab}, len(raw)))
	})
	got, err := makeSlice(t, backend, c, movedCriterion(s), slicing.Budget{})
	if !errors.Is(err, slicing.ErrNothing) || !strings.Contains(err.Error(), "build-id differs") {
		t.Errorf("%+v, %v", got, err)
	}
}

func hexDigit(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

func testMissingFile(t *testing.T, backend New, s subject) {
	got, err := makeSlice(t, backend, symbol.Config{}, movedCriterion(s), slicing.Budget{})
	if !errors.Is(err, slicing.ErrNothing) || !strings.Contains(err.Error(), "file not found") {
		t.Errorf("%+v, %v", got, err)
	}
}

// testTruncatedFile: a file that ends early may give an error or a poorer slice, and
// never a panic.
func testTruncatedFile(t *testing.T, backend New, s subject) {
	for _, part := range []int{1, 3, 10, 30, 60, 90, 99} {
		c := changedCopy(t, s, func(b []byte) []byte { return b[:len(b)*part/100] })
		if got, err := makeSlice(t, backend, c, movedCriterion(s), slicing.Budget{}); err == nil && len(got.Lines) > 0 &&
			part < 30 {
			t.Errorf("%d %%: %+v", part, got)
		}
	}
}

func testNoStack(t *testing.T, backend New, _ subject) {
	if got, err := makeSlice(t, backend, symbol.Config{}, slicing.Criterion{Call: "MPI_Recv"},
		slicing.Budget{}); !errors.Is(err, slicing.ErrNothing) {
		t.Errorf("%+v, %v", got, err)
	}
}

// testWrongAddress: an address behind which no call ends is no criterion.
func testWrongAddress(t *testing.T, backend New, s subject) {
	for _, off := range []uint64{0, 1, 0x40, 1 << 40, ^uint64(0)} {
		c := s.criterion
		c.Stack = []model.Frame{{Module: c.Stack[0].Module, Offset: off}}
		for _, exact := range []bool{false, true} {
			c.Exact = exact
			if got, err := makeSlice(t, backend, symbol.Config{}, c, slicing.Budget{}); !errors.Is(err,
				slicing.ErrNothing) {
				t.Errorf("%#x: %+v, %v", off, got, err)
			}
		}
	}
}

func testNoModule(t *testing.T, backend New, s subject) {
	c := s.criterion
	c.Stack = []model.Frame{{Offset: 0x1234}}
	if got, err := makeSlice(t, backend, symbol.Config{}, c, slicing.Budget{}); !errors.Is(err, slicing.ErrNothing) {
		t.Errorf("%+v, %v", got, err)
	}
	c.Stack = append(c.Stack, s.criterion.Stack...) // an unknown frame inside of known ones
	c.Call = ""
	if got, err := makeSlice(t, backend, symbol.Config{}, c, slicing.Budget{}); err != nil || len(got.Lines) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func hasNote(s slicing.Slice, words string) bool {
	return strings.Contains(strings.Join(s.Notes, "\n"), words)
}
