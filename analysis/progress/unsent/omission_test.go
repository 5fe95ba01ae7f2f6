package unsent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/model"
	"laggard/model/modeltest"
)

// by is messages that rank 0 has sent to a rank with a call: from the message first on, of a number of the channel.
type by struct {
	to, tag  int
	call     *model.State
	n, first uint64
}

// senderOf makes rank 0 of four, which has sent messages on a communicator of all.
func senderOf(all ...by) *model.Rank {
	r := testRank{rank: 0, in: barrier}
	for _, b := range all {
		r.sent, r.by = append(r.sent, sent(0, b.to, b.tag, b.n)), append(r.by, b.call)
	}
	out := r.build()
	for i, b := range all {
		out.Origins[i].Number = b.first
	}
	return out
}

var work, stop = modeltest.StateAt("MPI_Send", "work"), modeltest.StateAt("MPI_Send", "stop")

// TestOmission: a call that sent to all others but to the rank that waits, or more often, is told; not one of a sender that serves its two
// neighbours by two calls.
func TestOmission(t *testing.T) {
	to := model.NewRankSet(1, 2)
	any3, tag3 := Wait{Rank: 3, Comm: world, Tag: model.Any, Wild: true}, Wait{Rank: 3, Comm: world, Tag: tag}
	for name, c := range map[string]struct {
		wait   Wait
		sender *model.Rank
		want   *Omission
	}{
		"another tag for the last": {any3,
			senderOf(by{1, 1, work, 4, 1}, by{2, 1, work, 4, 1}, by{3, 1, work, 3, 1}, by{1, 2, stop, 1, 1}, by{2, 2, stop, 1, 1}),
			&Omission{By: stop, To: to, Each: 1}},
		"the same tag for the last": {tag3, senderOf(by{1, tag, stop, 5, 5}, by{2, tag, stop, 5, 5}, by{3, tag, work, 3, 1}),
			&Omission{By: stop, To: to, Each: 1}},
		"the last several times": {tag3, senderOf(by{1, tag, stop, 6, 5}, by{2, tag, stop, 6, 5}, by{3, tag, work, 3, 1}),
			&Omission{By: stop, To: to}},
		"one less": {tag3, senderOf(by{1, tag, work, 4, 1}, by{2, tag, work, 4, 1}, by{3, tag, work, 3, 1}),
			&Omission{By: work, To: to, Each: 4, Own: 3}},
		"as many":          {tag3, senderOf(by{1, tag, work, 4, 1}, by{2, tag, work, 4, 1}, by{3, tag, work, 4, 1}), nil},
		"unlike to others": {tag3, senderOf(by{1, tag, work, 4, 1}, by{2, tag, work, 5, 1}, by{3, tag, work, 3, 1}), nil},
		"none at all":      {tag3, senderOf(by{1, tag, work, 4, 1}, by{2, tag, work, 4, 1}), &Omission{By: work, To: to, Each: 4}},
		"none, of any tag": {any3, senderOf(by{1, tag, work, 4, 1}, by{2, tag, work, 4, 1}), nil},
		"two neighbours":   {tag3, senderOf(by{1, tag, work, 4, 1}, by{3, tag, stop, 4, 1}), nil},
		"one neighbour":    {tag3, senderOf(by{1, tag, work, 4, 1}), nil},
		"two such calls": {any3, senderOf(by{1, 1, work, 4, 1}, by{2, 1, work, 4, 1}, by{3, 1, work, 4, 1}, by{1, 2, stop, 1, 1},
			by{2, 2, stop, 1, 1}, by{1, 3, other, 1, 1}, by{2, 3, other, 1, 1}), nil},
		"what sent the first is not known": {tag3, senderOf(by{1, tag, stop, 5, 5}, by{2, tag, stop, 5, 5}, by{3, tag, work, 3, 2}), nil},
	} {
		found := viewOf(c.wait, c.sender)
		if diff := cmp.Diff(c.want, found.Omission); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func viewOf(w Wait, ranks ...*model.Rank) Message {
	var v View
	for _, r := range ranks {
		v = Merge(v, ViewOf(r, []Wait{w}, model.NewRankSet(0, 1, 2, 3)))
	}
	return v.Find([]Wait{w})[0]
}

// TestAlike: intercommunicators that one call made lead to processes that are treated alike; others do not.
func TestAlike(t *testing.T) {
	spawn := modeltest.StateAt("MPI_Comm_spawn", "spawn")
	parent := func(calls ...*model.State) *model.Rank {
		r := testRank{rank: 0, in: barrier}
		for i := range calls {
			r.sent, r.by = append(r.sent, sent(i, 0, tag, uint64(4-i/2))), append(r.by, work)
		}
		out := r.build()
		out.Comms = nil
		for i, call := range calls {
			out.Threads[0].Model.States = append(out.Threads[0].Model.States, call)
			out.Comms = append(out.Comms, &model.Comm{ID: uint64(10 + i), Kind: model.Inter, Members: []int{0}, Remote: []int{1 + i},
				Thread: 0, State: len(out.Threads[0].Model.States) - 1})
		}
		return out
	}
	one := parent(spawn, spawn, spawn)
	for _, c := range one.Comms { // one call, and so one state
		c.State = one.Comms[0].State
	}
	w := Wait{Rank: 3, Comm: 12, Tag: tag}
	want := &Omission{By: work, To: model.NewRankSet(1, 2), Each: 4, Own: 3}
	if diff := cmp.Diff(want, viewOf(w, one).Omission); diff != "" {
		t.Error(diff)
	}
	if o := viewOf(w, parent(spawn, stop, work)).Omission; o != nil {
		t.Errorf("of other calls: %+v", o)
	}
}

// TestWild: of a receive that leaves its tag open the sender says how many messages there were.
func TestWild(t *testing.T) {
	w := Wait{Rank: 3, Comm: world, Tag: model.Any, Number: 1, Wild: true}
	m := viewOf(w, senderOf(by{3, 1, work, 3, 1}, by{3, 2, stop, 2, 1}, by{1, 1, work, 9, 1}))
	if m.Sent != 5 || m.Number != 6 || m.By != nil || len(m.Others) > 0 {
		t.Errorf("%+v", m)
	}
}

// TestNothingSent: of processes that one call spawned, one got no message of any tag. Of two calls that sent to all others the one is
// told that sent more; none if they sent as many.
func TestNothingSent(t *testing.T) {
	spawn := modeltest.StateAt("MPI_Comm_spawn", "spawn")
	for ends, want := range map[uint64]*Omission{1: {By: work, To: model.NewRankSet(1, 2), Each: 4}, 4: nil} {
		r := senderOf(by{0, 1, work, 4, 1}, by{1, 1, work, 4, 1}, by{0, 2, stop, ends, 1}, by{1, 2, stop, ends, 1})
		r.Threads[0].Model.States = append(r.Threads[0].Model.States, spawn)
		r.Comms = []*model.Comm{{ID: 10, Kind: model.Inter, Members: []int{0}, Remote: []int{1, 2, 3}, Thread: 0,
			State: len(r.Threads[0].Model.States) - 1}}
		w := Wait{Rank: 3, Comm: 10, Tag: model.Any, Wild: true}
		if diff := cmp.Diff(want, viewOf(w, r).Omission); diff != "" {
			t.Errorf("%d messages for the end: %s", ends, diff)
		}
	}
}
