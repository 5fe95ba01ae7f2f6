package diagnosis

import (
	"testing"
	"time"

	"laggard/analysis/slowness"
	"laggard/internal/checktest"
	"laggard/model"
)

// TestSpeed: of a job that was ended, the lines say how fast it was, and how long the rest would have taken; of a hang, how fast
// it was before, and nothing of the standstill.
func TestSpeed(t *testing.T) {
	begin := time.Date(2026, 11, 28, 14, 1, 0, 0, time.UTC)
	d := &slowness.Development{Rate: slowness.Rate{Now: 13.7, Before: 21.5}, Iterations: 2220, Events: []slowness.Event{
		{Kind: slowness.Slowdown, Begin: begin, Cause: slowness.RankComputes, Ranks: model.NewRankSet(1), ComputingRatio: 1.9,
			Confidence: 0.9, Rate: slowness.Rate{Now: 18.8, Before: 24}},
		{Kind: slowness.Slowdown, Begin: begin.Add(time.Minute), Cause: slowness.Unclear, Confidence: 0.3},
	}}
	slow := "Rank 1 computes 1.9 times as long between MPI calls as before 14:01:00; the job runs 18.8 iterations/s, before 24."
	for _, c := range []struct {
		name string
		hang bool
		good uint64
		want []string
	}{
		{"ended", false, 0, []string{"In its last 10 s the job ran 13.7 iterations/s, usually 21.5; 2220 iterations in all.", slow,
			"The job is slower than before 14:02:00; confidence 0.30."}},
		{"ended, with a good run", false, 3900, []string{
			"In its last 10 s the job ran 13.7 iterations/s, usually 21.5; 2220 iterations in all.",
			"The good run made 3900 iterations: at its last speed this one would have needed 2m3s more.", slow,
			"The job is slower than before 14:02:00; confidence 0.30."}},
		{"ended, further than the good run", false, 2000, []string{
			"In its last 10 s the job ran 13.7 iterations/s, usually 21.5; 2220 iterations in all.", slow,
			"The job is slower than before 14:02:00; confidence 0.30."}},
		{"hang", true, 3900, []string{"Until it stopped the job ran 21.5 iterations/s; 2220 iterations in all.", slow}},
	} {
		r := &Result{Hang: c.hang}
		AddSpeed(r, d, c.good)
		checktest.EqualList(t, c.want, speedLines(r), c.name)
	}
}
