package slowness_test

import (
	"math"
	"testing"
	"time"

	"laggard/analysis/slowness"
	"laggard/analysis/timeline/timelinetest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// TestImbalanceStarved: of ranks that compute longer, those are named that lack a processor if that may be why; not if all lack one alike,
// or one that does not compute longer.
func TestImbalanceStarved(t *testing.T) {
	for _, c := range []struct {
		name               string
		computing, starved []float64 // parts of the time of each rank
		want               string
		share              float64
	}{
		{"two share a processor", []float64{0.5, 0.98, 0.98, 0.5}, []float64{0, 0.49, 0.49, 0}, "1-2", 0.49},
		{"a rank has more work", []float64{0.5, 0.5, 0.98, 0.5}, []float64{0, 0, 0, 0}, "", 0},
		{"all lack one", []float64{0.6, 0.6, 0.98, 0.6}, []float64{0.3, 0.3, 0.3, 0.3}, "", 0},
		{"another one lacks one", []float64{0.5, 0.5, 0.98, 0.5}, []float64{0.4, 0, 0, 0}, "", 0},
		{"the work is even", []float64{0.5, 0.5, 0.5, 0.5}, []float64{0, 0, 0, 0}, "", 0},
	} {
		job := timelinetest.Job{Ranks: 4, PerNode: 4, Length: 3 * time.Minute, Do: func(rank int, _ time.Duration) timelinetest.Doing {
			return timelinetest.Doing{Computing: c.computing[rank], Starved: c.starved[rank], WaitsFor: -1, Rate: 20}
		}}
		dir := t.TempDir()
		var ranks []*model.Rank
		for rank := range job.Ranks {
			k := job.Rank(rank)
			computing := int(1800 * c.computing[rank])
			k.Threads[0].Model.Samples = []model.Samples{{Waiting: 0}, {Computing: computing, Waiting: 1800 - computing}}
			ranks = append(ranks, k)
		}
		musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 7, Host: "n", Created: timelinetest.End}, ranks))(t)
		b := slowness.MeasureImbalance(musttest.Get(runfiles.Scan(dir))(t))
		if b == nil || b.Starved.String() != c.want || math.Abs(b.StarvedShare-c.share) > 0.01 {
			t.Errorf("%s: %+v, want ranks %q, %g of the time", c.name, b, c.want, c.share)
		}
	}
}
