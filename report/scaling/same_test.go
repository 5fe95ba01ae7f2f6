package scaling

import (
	"testing"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/recorded"
	"laggard/internal/checktest"
)

// TestRebuiltProgram: call sites that read the same in training are the same ones, whatever their addresses are.
func TestRebuiltProgram(t *testing.T) {
	built := func(build string, s recorded.Site) *recorded.Site {
		out := recorded.Site{Feature: s.Feature}
		for _, f := range s.Frames {
			f.BuildID = build
			out.Frames = append(out.Frames, f)
		}
		return &out
	}
	gather, swap := mpiCallSite("MPI_Allgather", "gather", 10), mpiCallSite("MPI_Sendrecv", "halo", 20)
	place := func(training, production *recorded.Site, expected, sent float64) judge.SourcePlace {
		return judge.SourcePlace{Place: judge.Place{Training: training, Production: production, TrainingShare: expected,
			ProductionShare: sent, Divergence: &gather.Frames[1]}, Source: recorded.AtMPI}
	}
	list := []judge.SourcePlace{
		place(built("old", gather), built("new", gather), 0.8, 0.94),
		place(built("older", gather), nil, 0.12, 0),
		place(built("old", swap), built("new", swap), 0.06, 0.06),
	}
	got := readablePlaces(list)
	checktest.Equal(t, 1, len(got))
	checktest.Equal(t, "a call site sends 94 % of the bytes, 92 % were expected (MPI calls)",
		Difference(&got[0].Place, got[0].Source, false))
	checktest.Equal(t, 3, len(readablePlaces([]judge.SourcePlace{list[2], list[2], list[2]})))
}
