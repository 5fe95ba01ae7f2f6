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
	need(t, "gcc")
	s := built(t, "pointer.c")
	for _, c := range []struct {
		name string
		test func(*testing.T, New, subject)
	}{
		{"Repeats", repeats}, {"Budgets", budgets}, {"Cancelled", cancelled}, {"Concurrent", concurrent},
		{"Loops", computing},
		{"Stripped", stripped}, {"Separate", separate}, {"OtherBuild", otherBuild}, {"Missing", missing},
		{"Cut", cutShort},
		{"NoStack", noStack}, {"WrongAddress", wrongAddress}, {"NoModule", noModule},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, backend, s) })
	}
}

func built(t *testing.T, name string) subject {
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

// slice makes a slice with a resolver that looks in the directories of c only.
func slice(t *testing.T, backend New, c symbol.Config, what slicing.Criterion, b slicing.Budget) (slicing.Slice,
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

func whole(t *testing.T, backend New, s subject) slicing.Slice {
	t.Helper()
	out, err := slice(t, backend, symbol.Config{}, s.criterion, slicing.Budget{})
	if err != nil || len(out.Lines) < 5 || out.Truncated {
		t.Fatalf("%+v, %v", out, err)
	}
	return out
}

// repeats: the same question has the same answer, also of a Slicer that has
// answered before.
func repeats(t *testing.T, backend New, s subject) {
	want := whole(t, backend, s)
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

// budgets: less depth gives fewer lines, the nearest ones, and says so.
func budgets(t *testing.T, backend New, s subject) {
	all := whole(t, backend, s)
	for _, b := range []slicing.Budget{{Depth: 1}, {Nodes: 4}} {
		got, err := slice(t, backend, symbol.Config{}, s.criterion, b)
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
	if _, err := slice(t, backend, symbol.Config{}, s.criterion, slicing.Budget{Time: time.Nanosecond}); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("no time: took %s", took)
	}
}

func cancelled(t *testing.T, backend New, s subject) {
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

func concurrent(t *testing.T, backend New, s subject) {
	want := whole(t, backend, s)
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

// computing: a program counter in a loop is a criterion too, wherever it is in
// the loop: what the loop changes belongs to the slice.
func computing(t *testing.T, backend New, _ subject) {
	s := built(t, "spin.c")
	out := whole(t, backend, s)
	if !slices.ContainsFunc(out.Lines, func(l slicing.Line) bool { return l.Kind == slicing.Control }) {
		t.Errorf("no condition keeps it in the loop: %+v", out.Lines)
	}
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	text := Source(filepath.Join(data(), "programs", "spin.c"))
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
		got, err := slice(t, backend, symbol.Config{}, c, slicing.Budget{})
		if err != nil || said(got, "left out") {
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

// copyOf puts a changed copy of the program into a folder of its own.
func copyOf(t *testing.T, s subject, change func([]byte) []byte) symbol.Config {
	t.Helper()
	text, err := os.ReadFile(s.exe)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, filepath.Base(s.exe)), change(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return symbol.Config{Roots: []string{dir}}
}

// elsewhere is the criterion of a program that is not at its recorded path.
func elsewhere(s subject) slicing.Criterion {
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

func stripped(t *testing.T, backend New, s subject) {
	need(t, "strip")
	c := copyOf(t, s, func(b []byte) []byte { return b })
	run(t, c.Roots[0], "strip", filepath.Base(s.exe))
	got, err := slice(t, backend, c, elsewhere(s), slicing.Budget{})
	if err != nil || len(got.Lines) > 0 || !said(got, "no debug information") {
		t.Errorf("%+v, %v", got, err)
	}
}

// separate: debug information in a folder by build-id is as good as in the file.
func separate(t *testing.T, backend New, s subject) {
	need(t, "objcopy")
	want := whole(t, backend, s)
	c := copyOf(t, s, func(b []byte) []byte { return b })
	id := s.criterion.Stack[0].Module.BuildID
	debug := filepath.Join(c.Roots[0], "debug", ".build-id", id[:2])
	if err := os.MkdirAll(debug, 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, c.Roots[0], "objcopy", "--only-keep-debug", s.exe, filepath.Join(debug, id[2:]+".debug"))
	run(t, c.Roots[0], "strip", filepath.Base(s.exe))
	c.DebugDirs = []string{filepath.Join(c.Roots[0], "debug")}
	got, err := slice(t, backend, c, elsewhere(s), slicing.Budget{})
	if err != nil || !reflect.DeepEqual(got.Lines, want.Lines) {
		t.Errorf("%+v, %v, want %+v", got, err, want.Lines)
	}
}

// otherBuild: a file that is not the recorded one gives no lines at all.
func otherBuild(t *testing.T, backend New, s subject) {
	id := s.criterion.Stack[0].Module.BuildID
	raw := make([]byte, len(id)/2)
	for i := range raw {
		raw[i] = unhex(id[2*i])<<4 | unhex(id[2*i+1])
	}
	c := copyOf(t, s, func(b []byte) []byte {
		return bytes.ReplaceAll(b, raw, bytes.Repeat([]byte{0xab}, len(raw)))
	})
	got, err := slice(t, backend, c, elsewhere(s), slicing.Budget{})
	if !errors.Is(err, slicing.ErrNothing) || !strings.Contains(err.Error(), "build-id differs") {
		t.Errorf("%+v, %v", got, err)
	}
}

func unhex(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

func missing(t *testing.T, backend New, s subject) {
	got, err := slice(t, backend, symbol.Config{}, elsewhere(s), slicing.Budget{})
	if !errors.Is(err, slicing.ErrNothing) || !strings.Contains(err.Error(), "file not found") {
		t.Errorf("%+v, %v", got, err)
	}
}

// cutShort: a file that ends early may give an error or a poorer slice, and
// never a panic.
func cutShort(t *testing.T, backend New, s subject) {
	for _, part := range []int{1, 3, 10, 30, 60, 90, 99} {
		c := copyOf(t, s, func(b []byte) []byte { return b[:len(b)*part/100] })
		if got, err := slice(t, backend, c, elsewhere(s), slicing.Budget{}); err == nil && len(got.Lines) > 0 &&
			part < 30 {
			t.Errorf("%d %%: %+v", part, got)
		}
	}
}

func noStack(t *testing.T, backend New, _ subject) {
	if got, err := slice(t, backend, symbol.Config{}, slicing.Criterion{Call: "MPI_Recv"},
		slicing.Budget{}); !errors.Is(err, slicing.ErrNothing) {
		t.Errorf("%+v, %v", got, err)
	}
}

// wrongAddress: an address behind which no call ends is no criterion.
func wrongAddress(t *testing.T, backend New, s subject) {
	for _, off := range []uint64{0, 1, 0x40, 1 << 40, ^uint64(0)} {
		c := s.criterion
		c.Stack = []model.Frame{{Module: c.Stack[0].Module, Offset: off}}
		for _, exact := range []bool{false, true} {
			c.Exact = exact
			if got, err := slice(t, backend, symbol.Config{}, c, slicing.Budget{}); !errors.Is(err,
				slicing.ErrNothing) {
				t.Errorf("%#x: %+v, %v", off, got, err)
			}
		}
	}
}

func noModule(t *testing.T, backend New, s subject) {
	c := s.criterion
	c.Stack = []model.Frame{{Offset: 0x1234}}
	if got, err := slice(t, backend, symbol.Config{}, c, slicing.Budget{}); !errors.Is(err, slicing.ErrNothing) {
		t.Errorf("%+v, %v", got, err)
	}
	c.Stack = append(c.Stack, s.criterion.Stack...) // an unknown frame inside of known ones
	c.Call = ""
	if got, err := slice(t, backend, symbol.Config{}, c, slicing.Budget{}); err != nil || len(got.Lines) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func said(s slicing.Slice, words string) bool {
	return strings.Contains(strings.Join(s.Notes, "\n"), words)
}
