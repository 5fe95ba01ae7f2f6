package dyninst

import (
	"context"
	"os"
	"testing"

	"laggard/slicing"
	"laggard/slicing/native"
	"laggard/slicing/slicetest"
	"laggard/symbol"
)

// findHelper finds the helper that was built, or skips the test.
func findHelper(t testing.TB) string {
	t.Helper()
	path, err := Find("../../bin")
	if err != nil {
		t.Skip(err)
	}
	return path
}

// newBackend makes Slicers that are closed after the test.
func newBackend(t testing.TB) slicetest.New {
	path := findHelper(t)
	return func(r *symbol.Resolver) slicing.Slicer {
		s := New(path, r, native.Options{Source: slicetest.Source})
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

func TestAccuracy(t *testing.T) {
	figures := slicetest.Accuracy(t, newBackend(t))
	if testing.Verbose() {
		figures.Write(os.Stdout)
	}
}

// countingSlicer counts the slices that the helper had a part in to the end.
type countingSlicer struct {
	*Slicer
	own int
}

func (c *countingSlicer) Slice(ctx context.Context, at slicing.Criterion, b slicing.Budget) (slicing.Slice, error) {
	out, err := c.Slicer.Slice(ctx, at, b)
	if out.Backend == c.Name() {
		c.own++
	}
	return out, err
}

// BenchmarkLarge slices random call sites of a large library or program with
// debug information, which LAGGARD_LARGE names.
func BenchmarkLarge(b *testing.B) {
	path := os.Getenv("LAGGARD_LARGE")
	if path == "" {
		b.Skip("LAGGARD_LARGE names no program")
	}
	program := findHelper(b)
	var last *countingSlicer
	slicetest.Large(b, func(r *symbol.Resolver) slicing.Slicer {
		last = &countingSlicer{Slicer: New(program, r, native.Options{Source: slicetest.Source})}
		return last
	}, path)
	p := last.front.p
	_ = last.Close()
	b.ReportMetric(float64(last.own), "by-helper")
	if p != nil {
		b.ReportMetric(float64(p.MaxRSS())/(1<<20), "MB-helper")
	}
}
