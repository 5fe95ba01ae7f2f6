package facts

import (
	"testing"

	"laggard/model"
)

// TestUnfreedOf: what one call made and nothing freed counts, each kind from its own number on; what a library or another call made
// does not.
func TestUnfreedOf(t *testing.T) {
	state := func(n byte, call string) *model.State { return &model.State{ID: model.StateID{n}, Call: call} }
	r := &model.Rank{Rank: 5, Threads: []*model.Thread{{Model: model.Model{States: []*model.State{
		state(1, "MPI_Comm_dup"), state(2, "MPI_Comm_split"), state(3, "MPI_File_open"), state(4, "MPI_Win_create")}}}}}
	add := func(n int, c model.Comm) {
		for range n {
			own := c
			r.Comms = append(r.Comms, &own)
		}
	}
	add(1, model.Comm{Kind: model.World, State: -1})
	add(2, model.Comm{Kind: model.Intra, State: 0})
	add(1, model.Comm{Kind: model.Inter, State: 0})
	add(9, model.Comm{Kind: model.Intra, State: 0, Freed: true})
	add(2, model.Comm{Kind: model.Intra, State: 1})
	add(1, model.Comm{Kind: model.File, State: 2})
	add(2, model.Comm{Kind: model.Window, State: 3})
	add(3, model.Comm{Kind: model.Inter, State: 1, ToParent: true})
	add(3, model.Comm{Kind: model.Intra, State: 1, Forming: true})
	add(3, model.Comm{Kind: model.Intra, State: 7})
	got := UnfreedOf(r)
	if len(got) != 2 || got[0].Call != "MPI_Comm_dup" || got[0].Most != 3 || got[1].Kind != model.File || got[1].Most != 1 {
		t.Fatalf("%+v", got)
	}
	r.Off = true
	if got := UnfreedOf(r); got != nil {
		t.Errorf("what was freed after the record had stopped is not known: %+v", got)
	}
	other := got[0]
	other.Least, other.Most, other.Ranks = 7, 7, model.NewRankSet(2)
	if all := SortUnfreed(append(got, other)); len(all) != 2 || all[0].Least != 3 || all[0].Most != 7 || all[0].Ranks.String() != "2,5" {
		t.Errorf("%+v", all)
	}
}
