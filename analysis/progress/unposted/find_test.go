package unposted

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/analysis/progress/inactive"
	"laggard/model"
	"laggard/model/modeltest"
)

// The job of the tests: ranks 0 to 3, messages with tag 7 on communicator 1.
const (
	world = 1
	tag   = 7
)

var (
	irecv     = modeltest.StateAt("MPI_Irecv", "halo")
	recv      = modeltest.StateAt("MPI_Recv", "coupler")
	allreduce = modeltest.StateAt("MPI_Allreduce", "norm")
	waitall   = modeltest.StateAt("MPI_Waitall", "halo wait")
)

// rank makes a rank that is in a call, and has received messages with a tag from the next one, where calls are made by it.
func rank(n int, in *model.State, received int, calls ...*model.State) *model.Rank {
	t := &model.Thread{Op: model.Op{State: 0, InMPI: true}}
	t.Model.States = append([]*model.State{in}, calls...)
	out := &model.Rank{Rank: n, Size: 4, Threads: []*model.Thread{t}, Comms: []*model.Comm{
		{ID: world, Kind: model.World, Members: []int{0, 1, 2, 3}},
	}}
	if received > 0 {
		out.Channels = []model.Channel{{Peer: (n + 1) % 4, Tag: received, Received: 1}}
	}
	return out
}

// TestFind: rank 2 is told to have left out a receive only where all that received such messages did so by one call that it never made,
// and it has gone on to something else.
func TestFind(t *testing.T) {
	waits := []inactive.Wait{{Rank: 0, Peer: 2, Comm: world, Tag: tag, Number: 1}, {Rank: 1, Peer: 2, Comm: world, Tag: tag, Number: 1}}
	all := &Receive{Peer: 2, Waiting: model.NewRankSet(0, 1), By: irecv, Callers: model.NewRankSet(0, 1, 3), At: allreduce}
	waiting := []*model.Rank{rank(0, waitall, tag, irecv), rank(1, waitall, tag, irecv, recv), rank(3, waitall, tag, irecv)}
	for _, c := range []struct {
		name  string
		want  *Receive
		ranks []*model.Rank
	}{
		{"left out", all, append(waiting, rank(2, allreduce, 0, recv))},
		{"it made the call", nil, append(waiting, rank(2, allreduce, 0, irecv))},
		{"it has received such", nil, append(waiting, rank(2, allreduce, tag, recv))},
		{"it is still sending", nil, append(waiting, rank(2, modeltest.StateAt("MPI_Ssend", "halo"), 0))},
		{"nobody has received such", nil, []*model.Rank{rank(0, waitall, 8, irecv), rank(1, waitall, 0), rank(2, allreduce, 0)}},
		{"two calls may do it", nil, []*model.Rank{rank(0, waitall, tag, irecv, recv), rank(2, allreduce, 0)}},
		{"each does it by another call", nil,
			[]*model.Rank{rank(0, waitall, tag, irecv), rank(1, waitall, tag, recv), rank(2, allreduce, 0)}},
	} {
		var forth, back View
		for i := range c.ranks {
			forth = Merge(forth, ViewOf(c.ranks[i], waits))
			back = Merge(ViewOf(c.ranks[len(c.ranks)-1-i], waits), back)
		}
		var want []Receive
		if c.want != nil {
			want = []Receive{*c.want}
		}
		if diff := cmp.Diff(want, forth.Find(waits)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if diff := cmp.Diff(forth.Find(waits), back.Find(waits)); diff != "" {
			t.Errorf("%s: in another order: %s", c.name, diff)
		}
	}
	sends := []inactive.Wait{{Rank: 0, Peer: 2, Comm: world, Tag: tag, Sends: true, Number: 1}}
	v := Merge(ViewOf(waiting[0], sends), ViewOf(rank(2, allreduce, 0), sends))
	if found := v.Find(sends); found != nil {
		t.Errorf("of a message that the peer should send: %v", found)
	}
}
