package native

import (
	"os"
	"testing"

	"laggard/slicing"
	"laggard/slicing/slicetest"
	"laggard/symbol"
)

func newBackend(r *symbol.Resolver) slicing.Slicer {
	return New(r, Options{Source: slicetest.Source})
}

func TestAccuracy(t *testing.T) {
	figures := slicetest.Accuracy(t, newBackend)
	if testing.Verbose() {
		figures.Write(os.Stdout)
	}
}

// scoreProgram is the score of a program as a compiler of a family makes it.
func scoreProgram(t *testing.T, name, family, opt string) (out slicetest.Score) {
	t.Helper()
	stub := slicetest.Stub(t)
	for _, p := range slicetest.Programs(t) {
		if p.Name == name {
			out, _ = slicetest.Case(t, newBackend, p, p.Build(t, stub, slicetest.Compiler(family, name), opt))
			return out
		}
	}
	t.Fatalf("there is no %s", name)
	return out
}

// TestFoundCallees: what decides is in functions that are called through tables that may be
// written, through objects in containers, and by libraries; or writes through a pointer out of a table, into
// memory that a container got, or behind a pointer that a struct keeps; or containers are much of the code.
func TestFoundCallees(t *testing.T) {
	for _, name := range []string{"bound.f90", "models.cc", "hooks.cc", "compared.c", "iodeck.c",
		"pagestore.cc", "seaice.f90", "meshhalo.c", "halomesh.cc"} {
		t.Run(name, func(t *testing.T) {
			if scoreProgram(t, name, "gcc", "-O0").Root == 0 {
				t.Error("the fault is not in the slice")
			}
		})
	}
}

// TestTailCall: a wrapper that jumps to MPI has no frame; what it is given decides all the same.
func TestTailCall(t *testing.T) {
	if s := scoreProgram(t, "tailcall.c", "gcc", "-O2"); s.Root == 0 || s.Recall < 1 {
		t.Errorf("the fault is not in the slice, or a line is missing: %+v", s)
	}
}

// TestJoinedPointers: optimised code has a pointer in a register that is one of several, and memory that was made
// larger is still what was there before.
func TestJoinedPointers(t *testing.T) {
	for _, name := range []string{"keyring.cc", "iodeck.c"} {
		t.Run(name, func(t *testing.T) {
			if scoreProgram(t, name, "clang", "-O2").Root == 0 {
				t.Error("the fault is not in the slice")
			}
		})
	}
}

// TestLoopEnd: a loop that communicates may end before it comes to where the rank is, also if the condition is not
// in the block that jumps back.
func TestLoopEnd(t *testing.T) {
	if scoreProgram(t, "octsteps.cc", "clang", "-O0").Root == 0 {
		t.Error("the condition that ends the loop is not in the slice")
	}
}

// TestArm64 slices some of the programs for AArch64.
func TestArm64(t *testing.T) {
	slicetest.Arm64.RequireTools(t)
	slicetest.Sample(t, newBackend, slicetest.Arm64, 9)
}

// TestAccuracyArm64 is TestAccuracy of the same programs, for AArch64. To run them under an emulator
// takes ten minutes and more.
func TestAccuracyArm64(t *testing.T) {
	if os.Getenv("LAGGARD_ALL") == "" {
		t.Skip("without LAGGARD_ALL: make test-long RUN=arm64")
	}
	slicetest.Arm64.RequireTools(t)
	figures := slicetest.AccuracyOn(t, newBackend, slicetest.Arm64, []string{"gcc"})
	if testing.Verbose() {
		figures.Write(os.Stdout)
	}
}

func TestConformance(t *testing.T) { slicetest.Conformance(t, newBackend) }
