package native

import (
	"os"
	"testing"

	"laggard/slicing/slicetest"
)

// BenchmarkLarge slices random call sites of a large library or program with
// debug information, which LAGGARD_LARGE names.
func BenchmarkLarge(b *testing.B) {
	path := os.Getenv("LAGGARD_LARGE")
	if path == "" {
		b.Skip("LAGGARD_LARGE names no program")
	}
	slicetest.Large(b, newBackend, path)
}
