package scaling

import (
	"testing"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/internal/checktest"
)

// TestBypassed: sockets that carry next to nothing of what the calls sent do not speak,
// neither for a run nor against it.
func TestBypassed(t *testing.T) {
	table := func(bytes float64) *recorded.Table {
		out := &recorded.Table{}
		out.Rows = []recorded.Observation{{Run: "r", Ranks: 1, Volume: map[int]float64{out.Site(haloSite): bytes}}}
		return out
	}
	model := func(bytes float64) *training.Model {
		one := table(bytes)
		return &training.Model{Sites: one.Sites, Past: []training.PastRun{{Rows: one.Rows}}}
	}
	for _, c := range []struct {
		name                  string
		before, now           float64 // at sockets; the calls sent 1000
		trainedOnCalls, wants bool
	}{
		{"shared memory", 3, 4, true, true},
		{"shared memory in training only", 3, 900, true, true},
		{"here only", 900, 4, true, true},
		{"half of it", 500, 400, true, false},
		{"nothing to compare with", 3, 4, false, false},
	} {
		trained := &training.Trained{Models: []training.Sourced{{Source: recorded.AtSocket, Model: model(c.before)}}}
		read := &volumesRead{Tables: map[recorded.Source]*recorded.Table{recorded.AtSocket: table(c.now)}}
		if c.trainedOnCalls {
			trained.Models = append(trained.Models, training.Sourced{Source: recorded.AtMPI, Model: model(1000)})
			read.Tables[recorded.AtMPI] = table(1000)
		}
		checktest.Equal(t, c.wants, socketsBypassed(trained, read), c.name)
	}
}
