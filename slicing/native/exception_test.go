package native

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	m := newProgram(r, nil).module(&model.Module{Path: exe})
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
				addr, _ := m.code.Define(name)
				f := m.function(addr)
				if f == nil {
					t.Fatalf("no %s", name)
				}
				a, pads, handles := &activation{f: f}, false, false
				for n := range f.blocks {
					if len(f.pads(int32(n))) > 0 {
						pads, handles = true, handles || a.handles(f.blocks[n].end-1)
					}
				}
				leaves := len(f.throwing()) > 0
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
	addr, _ := m.code.Define("passes")
	f := m.function(addr)
	for _, caught := range []bool{false, true} {
		some := slices.ContainsFunc(f.controls(false, caught), func(c []int32) bool { return len(c) > 0 })
		if some != caught {
			t.Errorf("caught %v: something depends on the call: %v", caught, some)
		}
	}
}
