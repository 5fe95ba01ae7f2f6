package slowness

import (
	"fmt"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
)

// TestLack: what a node lacks is the cause only if it explains how much longer its ranks compute.
func TestLack(t *testing.T) {
	for _, c := range []struct {
		name           string
		clock          float32 // now, over before
		faults, memory float32 // in a second
		longer         float32 // an iteration takes, over before
		want           Lack
	}{
		{"a clock as much slower", 0.5, 0, 0, 2, SlowClock},
		{"a clock that is a little slower", 0.85, 0, 0, 2, ""},
		{"a clock that explains a little", 0.85, 0, 0, 1.2, SlowClock},
		{"pages", 1, 100, 0, 2, NoMemory},
		{"few pages", 1, 22, 0, 4, ""},
		{"waiting for memory", 1, 0, 0.5, 2, NoMemory},
		{"seldom waiting for memory", 1, 0, 0.12, 3, ""},
	} {
		var ranks []compared
		for rank := range 4 {
			one := compared{rank: rank, host: fmt.Sprint("n", rank/2),
				before: sums{seconds: 100, computing: 80, waiting: 20, turns: 100, megahertz: 300_000, clockSample: 100}, since: sums{
					seconds: 60, computing: 60, turns: 60 / c.longer, megahertz: 180_000 * c.clock, clockSample: 60,
					faults: 60 * c.faults, memory: 60 * c.memory}}
			if rank >= 2 {
				one.since = one.before
			}
			ranks = append(ranks, one)
		}
		checktest.Equal(t, c.want, lackOf(ranks, model.NewRankSet(0, 1), 0), c.name)
	}
}

// TestMostNodes: all nodes are slower only if a rank of each is.
func TestMostNodes(t *testing.T) {
	var ranks []compared
	for rank := range 10 {
		ranks = append(ranks, compared{rank: rank, host: fmt.Sprint("n", rank/2)})
	}
	for n, want := range map[int]Cause{8: NodeSlow, 9: MachineSlow} {
		var some model.RankSet
		some.AddRange(0, n-1)
		checktest.Equal(t, want, finding{cause: NodeSlow, ranks: some, lack: NoProcessor}.withNode(ranks, 0, 10).cause, n)
	}
}

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
