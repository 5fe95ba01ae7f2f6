package native

import (
	"os"
	"testing"

	"laggard/slicing"
	"laggard/slicing/slicetest"
	"laggard/symbol"
)

func backend(r *symbol.Resolver) slicing.Slicer {
	return New(r, Options{Source: slicetest.Source})
}

func TestAccuracy(t *testing.T) {
	figures := slicetest.Accuracy(t, backend)
	if testing.Verbose() {
		figures.Write(os.Stdout)
	}
}

// TestAccuracyArm64 is TestAccuracy of the same programs, for AArch64.
func TestAccuracyArm64(t *testing.T) {
	slicetest.Arm64.Needs(t)
	figures := slicetest.AccuracyOn(t, backend, slicetest.Arm64, []string{"gcc"})
	if testing.Verbose() {
		figures.Write(os.Stdout)
	}
}

func TestConformance(t *testing.T) { slicetest.Conformance(t, backend) }
