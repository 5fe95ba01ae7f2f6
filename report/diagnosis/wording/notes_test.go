package wording

import (
	"testing"
	"time"

	"laggard/analysis/progress"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/model/runfiles"
)

// TestNotes: what is known of the data a diagnosis rests on is told, each once and in the order in which it matters.
func TestNotes(t *testing.T) {
	noticed := time.Date(2026, 3, 12, 14, 2, 10, 0, time.UTC)
	for name, c := range map[string]struct {
		result progress.Result
		want   []string
	}{
		"nothing":   {progress.Result{}, nil},
		"one moves": {progress.Result{Moving: model.NewRankSet(3)}, []string{"the job is running: rank 3 makes progress"}},
		"some move, and one was cut": {progress.Result{Moving: model.NewRankSet(0, 1), Torn: model.NewRankSet(2), NoSlow: 24}, []string{
			"the job is running: ranks 0-1 make progress",
			"rank 2: ended, or was read, during an update; what it did last may be incomplete",
			"in 24 samples of the running job no rank was behind for long",
		}},
		"many groups": {
			progress.Result{
				Diagnosis: progress.Diagnosis{LeftOut: 2, Unordered: true, OnlyNearest: true, Groups: make([]progress.Group, 600)},
				Index:     &runfiles.Index{Manifest: &model.Manifest{Noticed: noticed}, Stood: noticed},
			},
			[]string{
				"2 processes outside MPI_COMM_WORLD, or without a known rank, were left out",
				"the execution history leaves the order undefined: every position waits for another",
				"of the edges between 600 groups, only the nearest are drawn",
				"state when the hang was detected, 2026-03-12T14:02:10Z",
				"the job was found to make no progress, 2026-03-12T14:02:10Z, and continued by itself",
			},
		},
	} {
		checktest.EqualList(t, c.want, Notes(&c.result), name)
	}
}
