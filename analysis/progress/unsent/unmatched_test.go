package unsent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/model"
	"laggard/model/modeltest"
)

// TestUnmatched: rank 0 waits for tag 7 of rank 1. It is told what others sent it alike only where it received none of that, none of
// them sent what it waits for, and the sender left out nothing that another one sent.
func TestUnmatched(t *testing.T) {
	header := modeltest.StateAt("MPI_Send", "header")
	send := func(rank int, in *model.State, channels ...model.Channel) testRank {
		r := testRank{rank: rank, in: barrier, sent: channels}
		for i := range channels {
			r.by = append(r.by, in)
			if i > 0 {
				r.by[i] = header
			}
		}
		return r
	}
	alike := []testRank{send(1, other, sent(0, 0, 11, 4)), send(2, other, sent(0, 0, 12, 4)), send(3, other, sent(0, 0, 13, 4))}
	all := &Unmatched{By: other, Senders: model.NewRankSet(1, 2, 3), Each: 4}
	for _, c := range []struct {
		name  string
		want  *Unmatched
		ranks []testRank
	}{
		{"all alike", all, append([]testRank{in(0)}, alike...)},
		{"with other tags all were received", all, append([]testRank{in(0, received(0, 2, 99, 3))}, alike[0],
			send(2, other, sent(0, 0, 12, 4), sent(0, 0, 99, 3)), alike[2])},
		{"some were received", nil, append([]testRank{in(0, received(0, 2, 12, 1))}, alike...)},
		{"one sent nothing", &Unmatched{By: other, Senders: model.NewRankSet(1, 2), Each: 4},
			[]testRank{in(0), alike[0], alike[1], send(3, other)}},
		{"only the sender sent", nil, []testRank{in(0), alike[0], send(2, other), send(3, other)}},
		{"another sent what is awaited", nil, []testRank{in(0), alike[0], alike[1], send(3, other, sent(0, 0, tag, 1))}},
		{"the sender left out a message", nil,
			[]testRank{in(0), alike[0], send(2, other, sent(0, 0, 12, 4), sent(0, 0, 22, 1)), alike[2]}},
		{"another has sent more", nil, []testRank{in(0), alike[0], send(2, other, sent(0, 0, 12, 5))}},
	} {
		m := find(t, Wait{Rank: 0, Peer: 1, Comm: world, Tag: tag, Number: 1}, c.ranks...)
		if diff := cmp.Diff(c.want, m.Unmatched); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestBeside: rank 0 waits for a message of rank 1, which sends such by a call by which rank 2 sent it one that it has not received.
func TestBeside(t *testing.T) {
	w := Wait{Rank: 0, Peer: 1, Comm: world, Tag: tag, Number: 1}
	later := Wait{Rank: 0, Peer: 1, Comm: world, Tag: tag, Number: 2, Sent: 1}
	from1 := func(at *model.State) testRank {
		return testRank{rank: 1, in: at, sent: []model.Channel{sent(0, 3, tag, 1)}, by: []*model.State{isend}}
	}
	from2 := func(to int, by *model.State, n uint64) testRank {
		return testRank{rank: 2, in: barrier, sent: []model.Channel{sent(0, to, tag, n)}, by: []*model.State{by}}
	}
	sole := testRank{rank: 0, in: modeltest.StateAt("MPI_Recv", "halo")}
	lies := Other{From: 2, To: 0, Comm: world, Tag: tag, Count: 1, By: isend}
	for _, c := range []struct {
		name  string
		wait  Wait
		want  *Beside
		ranks []testRank
	}{
		{"unreceived", w, &Beside{lies, true}, []testRank{in(0), from1(barrier), from2(0, isend, 1)}},
		{"the sender is elsewhere", w, &Beside{lies, false}, []testRank{in(0), from1(waitall), from2(0, isend, 1)}},
		{"received", w, nil, []testRank{in(0, received(0, 2, tag, 1)), from1(barrier), from2(0, isend, 1)}},
		{"a later one", later, &Beside{lies, true}, []testRank{in(0, received(0, 2, tag, 1)), from1(barrier), from2(0, isend, 2)}},
		{"a later one, as the sender is elsewhere", later, nil,
			[]testRank{in(0, received(0, 2, tag, 1)), from1(waitall), from2(0, isend, 2)}},
		{"the rank may receive it next", w, nil, []testRank{sole, from1(barrier), from2(0, isend, 1)}},
		{"to another rank", w, nil, []testRank{in(0), from1(barrier), from2(3, isend, 1)}},
		{"by another call", w, nil, []testRank{in(0), from1(barrier), from2(0, other, 1), {rank: 3, in: barrier,
			sent: []model.Channel{sent(0, 2, tag, 1)}, by: []*model.State{isend}}}},
	} {
		if diff := cmp.Diff(c.want, find(t, c.wait, c.ranks...).Beside); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
