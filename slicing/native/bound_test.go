package native

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/model"
	"laggard/symbol"
)

// chainLibrary is a library with a chain of functions, each of which returns what the next one returns, and writes through
// what it is given.
func chainLibrary(t *testing.T, n int) *module {
	t.Helper()
	text := new(strings.Builder)
	for i := range n {
		fmt.Fprintf(text, "void *f%d(long *p);\n", i)
	}
	fmt.Fprintf(text, "void *f%d(long *p) { *p = 1; return p; }\n", n)
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(text, "void *f%d(long *p) { p[%d] = %d; return f%d(p + 1); }\n", i, i%7, i, i+1)
	}
	lib := filepath.Join(t.TempDir(), "chain.so")
	cc := exec.Command("gcc", "-g", "-O0", "-fPIC", "-shared", "-fvisibility=hidden", "-x", "c", "-", "-o", lib)
	cc.Stdin = strings.NewReader(text.String())
	if out, err := cc.CombinedOutput(); err != nil {
		t.Skipf("gcc: %v: %s", err, out)
	}
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	t.Cleanup(func() { r.Close() })
	m := newProgram(r, nil).openModule(&model.Module{Path: lib})
	if m.err != nil {
		t.Fatal(m.err)
	}
	return m
}

// TestNestedFunctions: how far functions are looked into from others does not grow with the program.
func TestNestedFunctions(t *testing.T) {
	const chain = 3 * maxFunctionDepth
	for _, c := range []struct {
		what string
		look func(f *function)
	}{
		{"values", func(f *function) { f.valueFlow() }},
		{"summary", func(f *function) { f.writeSummary(maxSummary) }},
	} {
		m := chainLibrary(t, chain)
		addr, _ := m.code.FunctionAddress("f0")
		f := m.functionAt(addr)
		if f == nil {
			t.Fatal("no f0")
		}
		c.look(f)
		known := 0
		for _, f := range m.funcs {
			if f != nil && f.flow != nil {
				known++
			}
		}
		if known < 10 || known > maxFunctionDepth+2 {
			t.Errorf("%s: %d of %d functions were looked into", c.what, known, chain)
		}
		if !m.prog.nested.Enter() {
			t.Errorf("%s: a level was not left", c.what)
		}
	}
}

// TestEndOfContext: what is being made ends with the context that it is made for.
func TestEndOfContext(t *testing.T) {
	m := chainLibrary(t, 3)
	ctx, cancel := context.WithCancel(context.Background())
	m.prog.beginAnswer(ctx, time.Hour)
	if m.prog.timeOver() {
		t.Error("the time is over at once")
	}
	cancel()
	if !m.prog.timeOver() {
		t.Error("nobody waits any more, and the time is not over")
	}
}
