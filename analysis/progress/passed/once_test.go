package passed

import (
	"slices"
	"testing"

	"laggard/model"
)

// repeat goes a round of calls some times.
func repeat(n int, round ...*model.State) (out []*model.State) {
	for range n {
		out = append(out, round...)
	}
	return out
}

// TestLeftOut: a rank left out a send once, on a way of its own; not one that it leaves out as a habit, that others leave out, too, that it
// never made twice, or behind which it does what it had not done before.
func TestLeftOut(t *testing.T) {
	type calls = []*model.State
	other := call("MPI_Recv", 14)
	usual := repeat(5, send, receive, other)
	skips := slices.Concat(usual, calls{receive, other})
	for name, c := range map[string]struct {
		sender, neighbour calls
		want              bool
	}{
		"once":                         {skips, usual, true},
		"and then went on as ever":     {slices.Concat(skips, usual), usual, true},
		"twice":                        {slices.Concat(skips, skips), usual, false},
		"as others do":                 {skips, skips, false},
		"in the first rounds":          {slices.Concat(calls{send, receive, other}, calls{receive, other}), usual, false},
		"never":                        {usual, usual, false},
		"and came to a new call":       {slices.Concat(usual, calls{gather}), usual, false},
		"for a message too many":       {slices.Concat(usual, calls{other}), usual, true},
		"as others that never send":    {skips, repeat(5, receive, other), true},
		"not itself: the other did so": {usual, skips, false},
	} {
		v := viewOf(went{rank: 0, calls: c.neighbour}, went{rank: 1, calls: c.sender})
		if got := v.LeftOut(Awaited{Sender: 1, By: send.ID, Sent: 5, All: 5}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestLeftOutOfRound: where one call sends to several ranks in turn, the counts tell that one of them was left out, once the round is over.
func TestLeftOutOfRound(t *testing.T) {
	type calls = []*model.State
	usual := repeat(4, receive, send, send, send)
	over := slices.Concat(usual, calls{receive, send, send, gather})
	for name, c := range map[string]struct {
		calls calls
		a     Awaited
		want  bool
	}{
		"left out":              {over, Awaited{Sent: 4, Others: 5, All: 14}, true},
		"another one, too":      {over, Awaited{Sent: 4, Others: 0, All: 14}, false},
		"two rounds ago":        {over, Awaited{Sent: 3, Others: 5, All: 13}, false},
		"sends by another call": {over, Awaited{Sent: 4, Others: 5, All: 12}, false},
		"in its round":          {slices.Concat(usual, calls{receive, send, send}), Awaited{Sent: 4, Others: 5, All: 14}, false},
		"first rounds":          {calls{receive, send, send, receive, send, gather}, Awaited{Sent: 1, Others: 2, All: 3}, false},
	} {
		v := viewOf(went{rank: 1, calls: c.calls}, went{rank: 0, calls: usual})
		c.a.Sender, c.a.By = 1, send.ID
		if got := v.LeftOut(c.a); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestDeparts: a rank that went on once as nobody else did, from where it goes another way at other times. One that received
// one message too many is such a rank.
func TestDeparts(t *testing.T) {
	type calls = []*model.State
	usual := repeat(5, send, receive)
	for name, c := range map[string]struct {
		calls, others calls
		want          bool
	}{
		"one message too many":   {slices.Concat(usual, calls{receive}), usual, true},
		"as usual":               {usual, usual, false},
		"as another rank did":    {slices.Concat(usual, calls{receive}), slices.Concat(usual, calls{receive}), false},
		"to the end of its loop": {slices.Concat(usual, calls{gather}), usual, false},
		"in a role of its own":   {slices.Concat(calls{first}, repeat(3, exchange, allreduce)), usual, false},
	} {
		v := viewOf(went{rank: 0, calls: c.others}, went{rank: 1, calls: c.calls})
		if got := v.Departs(1); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestMayKnow: who took part in a collective of blocks as often as it received messages may know from it that none comes.
func TestMayKnow(t *testing.T) {
	counts := call("MPI_Alltoall", 18)
	v := viewOf(went{rank: 0, calls: append([]*model.State{first}, repeat(4, counts, send, receive)...)},
		went{rank: 1, calls: repeat(4, allreduce, send, receive)})
	for times, want := range map[uint64]bool{4: true, 5: false} {
		if got := v.MayKnow(0, times); got != want {
			t.Errorf("of a message of which there were %d: %t", times, got)
		}
	}
	if v.MayKnow(1, 4) || !v.MayKnow(7, 4) {
		t.Error("a sum tells of one rank, or it is known what a rank without a record knows")
	}
}
