package native

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/symbol"
)

// throwing has a function that handles an exception, one that only cleans up, one whose calls
// can at most run out of memory, and one that lets an exception through.
const throwing = `#include <stdexcept>
#include <vector>
extern "C" {
__attribute__((noinline)) int refuse(int n) { if (n > 3) throw std::runtime_error("no"); return n; }
__attribute__((noinline)) int passes(int n) { return refuse(n + 1) * 2; }
__attribute__((noinline)) int handled(int n) { try { n = passes(n); } catch (...) { n = 1; } return n; }
__attribute__((noinline)) int cleaned(int n) { std::vector<int> v(n); return passes(n) + v.data()[0]; }
__attribute__((noinline)) int grown(int n)
{
	std::vector<int> v;
	try { v.push_back(n); } catch (...) { }
	return v.size();
}
}
int main(int argc, char **) { return handled(argc) + cleaned(argc) + grown(argc); }
`

func programOf(t *testing.T, source string, args ...string) *module {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "prog")
	cc := exec.Command(args[0], append(args[1:], "-g", "-x", "c++", "-", "-o", exe)...)
	cc.Stdin = strings.NewReader(source)
	if out, err := cc.CombinedOutput(); err != nil {
		t.Skipf("%v: %v: %s", args, err, out)
	}
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	t.Cleanup(func() { r.Close() })
	m := newProgram(r, nil).openModule(&model.Module{Path: exe})
	if m.err != nil {
		t.Fatal(m.err)
	}
	return m
}

// TestLandingPads: from which calls exceptions come to a landing pad, which calls they leave the
// function by, and whether something handles them there.
func TestLandingPads(t *testing.T) {
	for _, how := range [][]string{{"g++", "-O0"}, {"g++", "-O2"}, {"clang++", "-O0"}, {"clang++", "-O2"},
		{"aarch64-linux-gnu-g++", "-O1"}} {
		t.Run(strings.Join(how, " "), func(t *testing.T) {
			m := programOf(t, throwing, how...)
			for name, want := range map[string]struct{ pads, leaves, handles bool }{
				"refuse":  {leaves: true},
				"passes":  {leaves: true},
				"handled": {pads: true, handles: true},
				"cleaned": {pads: true, leaves: true},
				"grown":   {},
			} {
				addr, _ := m.code.FunctionAddress(name)
				f := m.functionAt(addr)
				if f == nil {
					t.Fatalf("no %s", name)
				}
				a, pads, handles := &activation{f: f}, false, false
				for n := range f.blocks {
					if len(f.unwinding().padBlocks(int32(n))) > 0 {
						pads, handles = true, handles || a.hasHandler(f.blocks[n].end-1)
					}
				}
				leaves := len(f.unwinding().throwingCalls()) > 0
				if pads != want.pads || leaves != want.leaves || handles != want.handles {
					t.Errorf("%s: pads %v, leaves %v, handles %v", name, pads, leaves, handles)
				}
			}
		})
	}
}

// TestExceptionIsAlternative: what comes after a call that throws depends on it only where
// somebody handles what it throws.
func TestExceptionIsAlternative(t *testing.T) {
	m := programOf(t, throwing, "g++", "-O0")
	addr, _ := m.code.FunctionAddress("passes")
	f := m.functionAt(addr)
	for _, caught := range []bool{false, true} {
		some := slices.ContainsFunc(f.graph().controlDependences(false, caught), func(c []int32) bool { return len(c) > 0 })
		checktest.Equal(t, caught, some, "caught", "something depends on the call")
	}
}

// cyclic is a library whose functions call each other in cycles through its linkage table, as they may be replaced.
// pass and again make a cycle without an exception; ask and answer make one that again reaches, and that throws, but
// where the search comes only after it has been through the cycle.
const cyclic = `#include <stdexcept>
extern "C" {
int again(int n); int answer(int n); int last(int n);
int pass(int n) { return n > 0 ? again(n - 1) + 1 : 0; }
int again(int n) { return n > 1 ? pass(n - 2) + 2 : last(n); }
int last(int n) { return n > 0 ? pass(n) : n; }
int ask(int n) { return n > 0 ? answer(n - 1) * 3 : pass(n); }
int answer(int n) { if (n == 7) throw std::runtime_error("no"); return n > 2 ? ask(n - 1) : pass(n) + 1; }
int asks(int n) { return pass(n) + ask(n); }
}
`

var cyclicFlags = []string{"-O1", "-fPIC", "-shared", "-fno-ipa-icf", "-fno-inline"}

// TestCyclesThroughLinkage: functions that call each other through the linkage table end the search for what throws,
// and what was cut at a cycle is not taken for an answer, in whatever order it is asked.
func TestCyclesThroughLinkage(t *testing.T) {
	want := map[string]bool{"pass": false, "again": false, "last": false, "ask": true, "answer": true, "asks": true}
	for _, first := range slices.Sorted(maps.Keys(want)) {
		m := programOf(t, cyclic, append([]string{"g++"}, cyclicFlags...)...)
		for _, name := range append([]string{first}, slices.Sorted(maps.Keys(want))...) {
			addr, ok := m.code.FunctionAddress(name)
			if !ok {
				t.Fatalf("no %s", name)
			}
			checktest.Equal(t, want[name], (funcRef{m, addr}).mayThrow(), first, "first", name, "throws")
		}
	}
}
