package unsent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/model"
)

// TestUnmatched: rank 0 waits for tag 7 of rank 1. It is told what others sent it alike only where it received none of that, none of
// them sent what it waits for, and the sender left out nothing that another one sent.
func TestUnmatched(t *testing.T) {
	header := state("MPI_Send", "header")
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
	sender := testRank{rank: 1, in: barrier, sent: []model.Channel{sent(0, 3, tag, 1)}, by: []*model.State{isend}}
	from2 := func(to int, by *model.State) testRank {
		return testRank{rank: 2, in: barrier, sent: []model.Channel{sent(0, to, tag, 1)}, by: []*model.State{by}}
	}
	lies := &Other{From: 2, To: 0, Comm: world, Tag: tag, Count: 1, By: isend}
	for _, c := range []struct {
		name  string
		want  *Other
		ranks []testRank
	}{
		{"unreceived", lies, []testRank{in(0), sender, from2(0, isend)}},
		{"received", nil, []testRank{in(0, received(0, 2, tag, 1)), sender, from2(0, isend)}},
		{"to another rank", nil, []testRank{in(0), sender, from2(3, isend)}},
		{"by another call", nil, []testRank{in(0), sender, from2(0, other), {rank: 3, in: barrier,
			sent: []model.Channel{sent(0, 2, tag, 1)}, by: []*model.State{isend}}}},
	} {
		if diff := cmp.Diff(c.want, find(t, w, c.ranks...).Beside); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
