package native

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing/cpu"
	"laggard/slicing/slicetest"
	"laggard/symbol"
)

const decided = `volatile int a, b, n;
void mark(void) { a++; }
void work(void)
{
  for (int i = 0; i < n; i++)
    if (a)
      mark();
}
void leave(void)
{
  for (int i = 0; i < n; i++) {
    if (b)
      break;
    mark();
  }
}
int main(void)
{
  while (b)
    if (n)
      work();
  leave();
  return 0;
}
`

// callsIn are the return addresses of the calls of one function in another.
func callsIn(t *testing.T, s *Slicer, module *model.Module, caller, callee string) []uint64 {
	t.Helper()
	m := s.prog.openModule(module)
	if m.err != nil {
		t.Fatal(m.err)
	}
	at, _ := m.code.FunctionAddress(caller)
	to, _ := m.code.FunctionAddress(callee)
	f := m.functionAt(at)
	if f == nil {
		t.Fatalf("no %s", caller)
	}
	var out []uint64
	for i := range f.insts {
		if f.insts[i].Kind == cpu.Call && f.insts[i].Target == to {
			out = append(out, f.insts[i].End())
		}
	}
	return out
}

func TestDeciders(t *testing.T) {
	for _, compiler := range []string{"gcc", slicetest.Arm64.Prefix + "gcc"} {
		t.Run(compiler, func(t *testing.T) {
			gcc, err := exec.LookPath(compiler)
			if err != nil {
				t.Skipf("%s is not installed", compiler)
			}
			checkDeciders(t, gcc)
		})
	}
}

func checkDeciders(t *testing.T, gcc string) {
	dir := t.TempDir()
	source, exe := filepath.Join(dir, "decided.c"), filepath.Join(dir, "decided")
	musttest.Succeed(t, os.WriteFile(source, []byte(decided), 0o600))
	for _, level := range []string{"-O0", "-O1"} {
		musttest.Run(t, exec.Command(gcc, level, "-g", "-fno-inline", "-o", exe, source))
		resolver := symbol.New(symbol.Config{})
		defer resolver.Close()
		s, module := New(resolver, Options{}), &model.Module{Path: exe}
		for _, c := range []struct {
			function string
			want     []string
			guard    string // before a loop whose condition was moved to its end
		}{
			{"work", []string{"5 loop", "6", "19 loop", "20"}, "5"},
			{"leave", []string{"11 loop", "12 loop"}, "11"},
		} {
			var stack []model.Frame
			for caller, callee := c.function, "mark"; callee != "main"; caller, callee = "main", caller {
				calls := callsIn(t, s, module, caller, callee)
				musttest.Equal(t, 1, len(calls), level, "calls of", callee, "in", caller)
				stack = append(stack, model.Frame{Module: module, Offset: calls[0]})
			}
			list := musttest.Get(s.Deciders(context.Background(), stack))(t)
			var got []string
			for _, d := range list {
				text := fmt.Sprint(resolver.Resolve(d.Jump, false).Line)
				if d.Loop {
					text += " loop"
				}
				got = append(got, text)
				// As gcc without optimisation has it: a loop's jump leads back into it, that of a
				// condition leads past.
				if leads := d.Loop && text != "12 loop"; level == "-O0" && d.Leads != leads {
					t.Errorf("%s: line %s leads to the call: %v", level, text, d.Leads)
				}
			}
			if level != "-O0" {
				c.want = append(c.want, c.guard) // which is no part of the loop
			}
			slices.Sort(got)
			slices.Sort(c.want)
			checktest.Equal(t, c.want, slices.Compact(got), level, c.function)
		}
	}
}
