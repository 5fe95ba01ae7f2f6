package divergence

import (
	"testing"

	"laggard/model"
)

// TestShared: of a communicator whose first calls are no longer kept, only what is behind those that are
// gone on either side can be compared.
func TestShared(t *testing.T) {
	state := &model.State{Call: "MPI_Barrier"}
	line := func(rank int, number uint64, orders ...uint32) Line {
		l := Line{Ranks: model.NewRankSet(rank)}
		for i, order := range orders {
			begun := model.Begun{Mark: model.Mark{Number: number + uint64(i)}, Order: order}
			l.Latest = append(l.Latest, Call{Begun: begun, State: state})
		}
		return l
	}
	world := Comm{ID: 1, Lines: []Line{line(0, 1, 1, 2, 50), line(1, 1, 1, 2)}}
	// Rank 0 has 20 to 49 kept of the other one, rank 1 one more that it made, and one less in front.
	grid := Comm{ID: 2, Lines: []Line{line(0, 18, 47, 48, 49), line(1, 19, 48, 49, 50)}}
	got := LastSharedCall([]Comm{world, grid}, 0, 1)
	if got == nil || got.Order != 49 || got.Number != 20 {
		t.Errorf("the last that they share: %+v, want call 20, the 49th of all", got)
	}
	if got := LastSharedCall([]Comm{world}, 0, 1); got == nil || got.Order != 2 {
		t.Errorf("of one communicator: %+v, want the 2nd", got)
	}
	if got := LastSharedCall([]Comm{grid}, 0, 2); got != nil {
		t.Errorf("of a rank that is not known: %+v", got)
	}
}
