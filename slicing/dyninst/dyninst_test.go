package dyninst

import (
	"os"
	"testing"

	"laggard/model/symbol"
	"laggard/slicing"
	"laggard/slicing/native"
	"laggard/slicing/slicetest"
)

// helper finds the helper that was built, or skips the test.
func helper(t testing.TB) string {
	t.Helper()
	path, err := Find("../../bin")
	if err != nil {
		t.Skip(err)
	}
	return path
}

// backends makes Slicers that are closed after the test.
func backends(t testing.TB) slicetest.New {
	path := helper(t)
	return func(r *symbol.Resolver) slicing.Slicer {
		s := New(path, r, native.Options{Source: slicetest.Source})
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

func TestAccuracy(t *testing.T) {
	figures := slicetest.Accuracy(t, backends(t))
	if testing.Verbose() {
		figures.Write(os.Stdout)
	}
}

// BenchmarkLarge slices random call sites of a large library or program with
// debug information, which LAGGARD_LARGE names.
func BenchmarkLarge(b *testing.B) {
	path := os.Getenv("LAGGARD_LARGE")
	if path == "" {
		b.Skip("LAGGARD_LARGE names no program")
	}
	slicetest.Large(b, backends(b), path)
}
