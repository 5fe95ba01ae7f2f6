package slowness

import (
	"testing"

	"laggard/internal/checktest"
)

// TestTypicallyStarved: who lacks a processor far longer than the others stands out, though others lack one a little longer as well.
func TestTypicallyStarved(t *testing.T) {
	for _, c := range []struct {
		lack []float32 // parts of the time, of each rank; before it was 0.01
		want bool
	}{
		{nil, false},
		{[]float32{0.49, 0.03}, false},
		{[]float32{0.3, 0.2}, true},
		{[]float32{0.4, 0.02, 0.03, 0.03}, false},
		{[]float32{0.2, 0.1, 0.3, 0.15}, true},
		{[]float32{0.01, 0.01, 0.01}, false},
	} {
		var ranks []compared
		for i, lack := range c.lack {
			ranks = append(ranks, compared{rank: i, before: sums{seconds: 30, starved: 0.3}, since: sums{seconds: 30, starved: 30 * lack}})
		}
		checktest.Equal(t, c.want, typicallyStarved(ranks), c.lack)
	}
}
