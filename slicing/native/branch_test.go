package native

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
	"laggard/symbol"
)

const copied = `#include <stdio.h>
volatile int a, b;
__attribute__((noinline)) void barrier(void) { a++; }
__attribute__((noinline)) void finish(void) { b++; }
__attribute__((noinline)) int good(void) { return a; }
__attribute__((noinline)) int conclude(int rank, double x)
{
  int is = good() && x < 1;
  barrier();
  if (rank == 0)
    printf("%s of %d\n", is ? "passed" : "FAILED", b);
  return is;
}
__attribute__((noinline)) int skips(int rank)
{
  if (rank == 3)
    return 0;
  barrier();
  return 1;
}
int main(int argc, char **argv)
{
  int n = skips(argc) + conclude(argc, b);
  finish();
  return n;
}
`

// builtProgram is a program of a test.
type builtProgram struct {
	*Slicer
	module *model.Module
}

func buildProgram(t *testing.T, text string) builtProgram {
	t.Helper()
	return buildProgramBy(t, text, "gcc", "-O2")
}

// buildProgramBy builds a program with a compiler and its flags.
func buildProgramBy(t *testing.T, text, compiler string, flags ...string) builtProgram {
	t.Helper()
	dir := t.TempDir()
	source, exe := filepath.Join(dir, "program.c"), filepath.Join(dir, "program")
	musttest.Succeed(t, os.WriteFile(source, []byte(text), 0o600))
	musttest.Run(t, exec.Command(compiler, append(flags, "-g", "-o", exe, source)...))
	resolver := symbol.New(symbol.Config{})
	t.Cleanup(func() { resolver.Close() })
	return builtProgram{New(resolver, Options{}), &model.Module{Path: exe}}
}

// callsTo are the return addresses of the calls of a function in another.
func (b builtProgram) callsTo(t *testing.T, caller, callee string) []uint64 {
	t.Helper()
	return callsIn(t, b.Slicer, b.module, caller, callee)
}

// decidingLine returns the line of the branch between two stacks of return addresses, 0 none.
func (b builtProgram) decidingLine(t *testing.T, made, other, last []uint64) int {
	t.Helper()
	frames := func(stack []uint64) (out []model.Frame) {
		for _, f := range stack {
			out = append(out, model.Frame{Module: b.module, Offset: f})
		}
		return out
	}
	branch := musttest.Get(b.Branch(context.Background(), frames(made), frames(other), frames(last)))(t)
	return b.lineOf(branch.Jump)
}

// lineOf is the line of a jump, 0 if it is none.
func (b builtProgram) lineOf(j slicing.Jump) int {
	if len(j.Stack) == 0 {
		return 0
	}
	return b.prog.resolver.Resolve(j.Stack[0], false).Line
}

// TestCopies: a branch between two copies that the compiler made of one call decides nothing.
func TestCopies(t *testing.T) {
	b := buildProgram(t, copied)
	finish := b.callsTo(t, "main", "finish")[:1]
	calls := b.callsTo(t, "conclude", "barrier")
	if len(calls) < 2 {
		t.Fatal("the compiler made one call of it")
	}
	for _, call := range calls {
		if line := b.decidingLine(t, []uint64{call, b.callsTo(t, "main", "conclude")[0]}, finish, nil); line != 0 {
			t.Errorf("line %d decides whether a call is made that always is", line)
		}
	}
	made := []uint64{b.callsTo(t, "skips", "barrier")[0], b.callsTo(t, "main", "skips")[0]}
	if line := b.decidingLine(t, made, finish, nil); line != 16 {
		t.Errorf("line %d decides, want 16", line)
	}
}

const endsIn = `volatile int a, b;
__attribute__((noinline)) void reduce(void) { a++; }
__attribute__((noinline)) void finish(void) { b++; }
__attribute__((noinline)) void residual(int n)
{
  b += n;
  reduce();
  b++;
  reduce();
}
int main(int argc, char **argv)
{
  for (;;) {
    residual(argc);
    if (b > 100)
      break;
  }
  finish();
  return a;
}
`

// TestEndsIn: the call before is one that a function ended in, by a jump: it has no frame of that function.
func TestEndsIn(t *testing.T) {
	b := buildProgram(t, endsIn)
	inside := b.callsTo(t, "residual", "reduce")
	if len(inside) != 1 {
		t.Fatal("the compiler made no jump of the second call")
	}
	again := b.callsTo(t, "main", "residual")[0]
	if line := b.decidingLine(t, []uint64{inside[0], again}, b.callsTo(t, "main", "finish")[:1], []uint64{again}); line != 15 {
		t.Errorf("line %d decides, want 15", line)
	}
}
