package native

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"laggard/model"
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

// TestCopies: a branch between two copies that the compiler made of one call decides nothing.
func TestCopies(t *testing.T) {
	dir := t.TempDir()
	source, exe := filepath.Join(dir, "copied.c"), filepath.Join(dir, "copied")
	if err := os.WriteFile(source, []byte(copied), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O2", "-g", "-o", exe, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	resolver := symbol.New(symbol.Config{})
	defer resolver.Close()
	s, module := New(resolver, Options{}), &model.Module{Path: exe}
	at := func(caller, callee string) []uint64 { return callsIn(t, s, module, caller, callee) }
	branch := func(inner uint64, caller string) int {
		t.Helper()
		stack := func(frames ...uint64) (out []model.Frame) {
			for _, f := range frames {
				out = append(out, model.Frame{Module: module, Offset: f})
			}
			return out
		}
		made, other := stack(inner, at("main", caller)[0]), stack(at("main", "finish")[0])
		b, err := s.Branch(context.Background(), made, other, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Stack) == 0 {
			return 0
		}
		return resolver.Resolve(b.Stack[0], false).Line
	}
	calls := at("conclude", "barrier")
	if len(calls) < 2 {
		t.Fatal("the compiler made one call of it")
	}
	for _, call := range calls {
		if line := branch(call, "conclude"); line != 0 {
			t.Errorf("line %d decides whether a call is made that always is", line)
		}
	}
	if line := branch(at("skips", "barrier")[0], "skips"); line != 16 {
		t.Errorf("line %d decides, want 16", line)
	}
}
