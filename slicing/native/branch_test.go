package native

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/cpu"
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
	branch := musttest.Get(b.Branch(context.Background(), b.frames(made), b.frames(other), b.frames(last)))(t)
	return b.lineOf(branch.Jump)
}

// frames is a stack of return addresses.
func (b builtProgram) frames(stack []uint64) (out []model.Frame) {
	for _, f := range stack {
		out = append(out, model.Frame{Module: b.module, Offset: f})
	}
	return out
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

const jumpsOn = `#include <stdlib.h>
volatile int a, b;
double speed[64];
__attribute__((noinline)) void reduce(void) { a++; }
__attribute__((noinline)) void step(void)
{
  speed[0] = rand();
  reduce();
  b++;
}
__attribute__((noinline)) void write_snapshot(void)
{
  reduce();
  b++;
}
__attribute__((noipa)) void write_output(int it, int interval)
{
  int every = interval;
  if (speed[0] > 1e-3) {
    b++;
    every /= 4;
  }
  if (it % every != 0)
    return;
  write_snapshot();
}
int main(void)
{
  for (int it = 0; it < 40; it++) {
    step();
    write_output(it, 20);
  }
  return a;
}
`

// TestJumpsOn: a function that ends in the call which makes the collective has no frame. Its condition may have two copies, for the ways on
// which the interval differs: what decides between these may be another on each rank.
func TestJumpsOn(t *testing.T) {
	for _, flag := range []string{"-fno-tracer", "-ftracer"} {
		b := buildProgramBy(t, jumpsOn, "gcc", "-O2", flag)
		steps := []uint64{b.callsTo(t, "step", "reduce")[0], b.callsTo(t, "main", "step")[0]}
		made := []uint64{b.callsTo(t, "write_snapshot", "reduce")[0], b.callsTo(t, "main", "write_output")[0]}
		if len(b.callsTo(t, "write_output", "write_snapshot")) != 0 {
			t.Fatal("the compiler made no jump of the last call")
		}
		branch := musttest.Get(b.Branch(context.Background(), b.frames(made), b.frames(steps), b.frames(steps)))(t)
		if line := b.lineOf(branch.Jump); line != 23 || branch.Alike || !branch.Passed {
			t.Errorf("%s: line %d decides, want 23: %+v", flag, line, branch)
		}
		if copies := len(branch.Or); copies != map[string]int{"-fno-tracer": 0, "-ftracer": 1}[flag] {
			t.Errorf("%s: %d copies", flag, copies)
		}
	}
}

const jumpsOnPointed = `volatile int a, b;
__attribute__((noinline)) void reduce(void) { a++; }
__attribute__((noipa)) void sum(int n)
{
  reduce();
  b += n;
}
__attribute__((noipa)) void moves(int n)
{
  b += n;
  if (n == 0)
    return;
  sum(n);
}
__attribute__((noipa)) void rests(int n) { b += n; }
__attribute__((noinline)) void finish(void) { b++; }
static void (*const methods[])(int) = {moves, rests};
int main(int argc, char **argv)
{
  methods[argc & 1](argc);
  finish();
  return a;
}
`

// TestJumpsOnPointed: a function that is called through a pointer, and ends in the call that makes the collective, has no frame. It is the
// only one that jumps to the next.
func TestJumpsOnPointed(t *testing.T) {
	for _, flag := range []string{"-pie", "-no-pie"} {
		b := buildProgramBy(t, jumpsOnPointed, "gcc", "-O2", "-fPIE", flag)
		if len(b.callsTo(t, "moves", "sum")) != 0 {
			t.Fatal("the compiler made no jump of the last call")
		}
		m := b.prog.openModule(b.module)
		entry, _ := m.addressOf("main")
		var pointed uint64
		for _, in := range m.functionAt(entry).insts {
			if in.Kind == cpu.Call && in.Indirect {
				pointed = in.End()
			}
		}
		made := []uint64{b.callsTo(t, "sum", "reduce")[0], pointed}
		if line := b.decidingLine(t, made, b.callsTo(t, "main", "finish")[:1], nil); line != 11 {
			t.Errorf("%s: line %d decides, want 11", flag, line)
		}
	}
}

const returnsFromLoop = `volatile int a, b, given[8], area[8][4];
__attribute__((noinline)) void reduce(void) { a++; }
__attribute__((noipa)) void sum_areas(int rank, int meshes)
{
  for (int m = 0; m < meshes; m++) {
    if (m % 4 != rank)
      continue;
    for (int n = 0; n < given[m]; n++) {
      if (area[m][n] == 0)
        return;
      b += area[m][n];
    }
  }
  reduce();
  b++;
}
__attribute__((noipa)) void visit(int rank, int meshes)
{
  for (int m = 0; m < meshes; m++) {
    if (given[m] == rank)
      continue;
    reduce();
  }
}
__attribute__((noipa)) void finish(void)
{
  reduce();
  b++;
}
int main(int argc, char **argv)
{
  visit(argc, 8);
  sum_areas(argc, 8);
  finish();
  return a;
}
`

// TestReturnsFromLoop: where a function returned out of a loop before the call, the condition of that decides, and not how often the loop
// goes round; in a loop around the call, the condition that passes over it.
func TestReturnsFromLoop(t *testing.T) {
	for _, level := range []string{"-O0", "-O2"} {
		b := buildProgramBy(t, returnsFromLoop, "gcc", level)
		finish := []uint64{b.callsTo(t, "finish", "reduce")[0], b.callsTo(t, "main", "finish")[0]}
		for in, want := range map[string]int{"sum_areas": 9, "visit": 20} {
			made := []uint64{b.callsTo(t, in, "reduce")[0], b.callsTo(t, "main", in)[0]}
			branch := musttest.Get(b.Branch(context.Background(), b.frames(made), b.frames(finish), nil))(t)
			if line := b.lineOf(branch.Jump); line != want {
				t.Errorf("%s: line %d decides in %s, want %d: %+v", level, line, in, want, branch)
			}
		}
	}
}

const nestedReturn = `volatile int a, b, given[8];
__attribute__((noinline)) void reduce(void) { a++; }
__attribute__((noipa)) void sum(int rank, int mends)
{
  for (int m = 0; m < 8; m++) {
    if (given[m] == rank) {
      if (mends)
        given[m] = 9;
      else
        return;
    }
    b += given[m];
  }
  reduce();
}
__attribute__((noipa)) void finish(void)
{
  reduce();
  b++;
}
int main(int argc, char **argv)
{
  sum(argc, argc > 1);
  finish();
  return a;
}
`

// TestNestedReturn: of nested conditions by which a function returned, the inner one comes first, then the outer one, then the loop.
func TestNestedReturn(t *testing.T) {
	for _, level := range []string{"-O0", "-O1"} {
		b := buildProgramBy(t, nestedReturn, "gcc", level)
		finish := []uint64{b.callsTo(t, "finish", "reduce")[0], b.callsTo(t, "main", "finish")[0]}
		made := []uint64{b.callsTo(t, "sum", "reduce")[0], b.callsTo(t, "main", "sum")[0]}
		branch := musttest.Get(b.Branch(context.Background(), b.frames(made), b.frames(finish), nil))(t)
		lines := []int{b.lineOf(branch.Jump)}
		for _, or := range branch.Or {
			lines = append(lines, b.lineOf(or))
		}
		checktest.Equal(t, []int{7, 6, 5}, lines, level)
	}
}

const exchangesInLoop = `volatile int a, b, fixed;
volatile double slopes[4];
__attribute__((noinline)) double slope(void) { return slopes[a & 3]; }
__attribute__((noinline)) void smooth(void) { b++; }
__attribute__((noinline)) void exchange(void) { a++; }
__attribute__((noinline)) int reduce(void) { return b; }
int main(int argc, char **argv)
{
  for (int level = 0; level < argc; level++) {
    double limit = 0.05 * level;
    for (int pass = 0; pass < 20; pass++) {
      int steep = slope() > limit;
      if (steep)
        smooth();
      if (steep || fixed)
        exchange();
    }
    if (reduce() < 0)
      break;
  }
  return a;
}
`

// TestExchangesInLoop: of a condition that the compiler made several jumps of, which the next round of the loop tests anew, the last one
// decides whether the call is made.
func TestExchangesInLoop(t *testing.T) {
	for _, level := range []string{"-O0", "-O1", "-O2"} {
		b := buildProgramBy(t, exchangesInLoop, "gcc", level)
		made, other := b.callsTo(t, "main", "exchange"), b.callsTo(t, "main", "reduce")
		if line := b.decidingLine(t, made[:1], other[:1], nil); line != 15 {
			t.Errorf("%s: line %d decides, want 15", level, line)
		}
	}
}
