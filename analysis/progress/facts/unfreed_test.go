package facts

import (
	"slices"
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
	if len(got) != 2 || got[0].Call != "MPI_Comm_dup" || got[0].Most != 3 || got[1].Kind != UnfreedFile || got[1].Most != 1 {
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

// TestUnfreedOfStates: requests count from three on, datatypes and persistent requests only where communication lay between.
func TestUnfreedOfStates(t *testing.T) {
	calls := []string{"MPI_Isend", "MPI_Irecv", "MPI_Type_vector", "MPI_Type_contiguous", "MPI_Send_init", "MPI_Recv_init"}
	r := &model.Rank{Threads: []*model.Thread{{Model: model.Model{Unfreed: []model.Unfreed{
		{State: 0, Count: 37}, {State: 1, Count: 2}, {State: 2, Count: 1200, Rounds: 1200}, {State: 3, Count: 26, Rounds: 1},
		{State: 4, Count: 3, Rounds: 3}, {State: 5, Count: 40, Rounds: 2}}}}}}
	for i, call := range calls {
		r.Threads[0].Model.States = append(r.Threads[0].Model.States, &model.State{ID: model.StateID{byte(i)}, Call: call})
	}
	got := UnfreedOf(r)
	want := []Unfreed{{Call: "MPI_Isend", Kind: UnfreedRequest, Most: 37}, {Call: "MPI_Type_vector", Kind: UnfreedDatatype, Most: 1200},
		{Call: "MPI_Send_init", Kind: UnfreedPersistent, Most: 3}}
	same := func(x, y Unfreed) bool {
		return x.Call == y.Call && x.Kind == y.Kind && x.Most == y.Most && x.Least == x.Most
	}
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%+v", got)
	}
}
