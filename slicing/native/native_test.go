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

func TestConformance(t *testing.T) { slicetest.Conformance(t, backend) }
