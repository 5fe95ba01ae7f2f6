package passed

import (
	"fmt"
	"slices"
	"testing"

	"laggard/internal/checktest"
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
		checktest.Equal(t, c.want, v.LeftOut(Awaited{Sender: 1, By: send.ID, Sent: 5, All: 5}), name)
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
		checktest.Equal(t, c.want, v.LeftOut(c.a), name)
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
		checktest.Equal(t, c.want, v.Departs(1), name)
	}
}

// TestMayKnow: a rank may know from a collective of blocks, or a broadcast, that no message comes; not from one that it made before the
// first of these messages, or as often as they came, nor from a sum.
func TestMayKnow(t *testing.T) {
	type calls = []*model.State
	counts := call("MPI_Alltoall", 18)
	for name, c := range map[string]struct {
		calls calls
		want  bool
	}{
		"each time, and once more": {slices.Concat(calls{first}, repeat(4, counts, receive), calls{counts, receive}), true},
		"each time behind it":      {slices.Concat(calls{first}, repeat(3, receive, counts), calls{receive, counts, receive}), false},
		"once, before all":         {slices.Concat(calls{first, counts}, repeat(5, receive, send)), false},
		"once, between":            {slices.Concat(calls{first}, repeat(3, receive, send), calls{counts, receive, send, receive}), true},
		"a sum":                    {slices.Concat(calls{first}, repeat(5, allreduce, receive)), false},
	} {
		v := viewOf(went{rank: 0, calls: c.calls})
		checktest.Equal(t, c.want, v.MayKnow(0, 4), name)
	}
	if v := viewOf(); !v.MayKnow(7, 4) {
		t.Error("it is known what a rank without a record knows")
	}
}

// TestJoinAlike: of one call a compiler may make several; they are one again by their place.
func TestJoinAlike(t *testing.T) {
	clone := call("MPI_Recv", 99)
	place := func(s *model.State) string {
		if s.ID == clone.ID {
			s = receive
		}
		return fmt.Sprint(s.Call, s.Stack[0].Offset)
	}
	usual := repeat(5, send, receive, exchange)
	v := viewOf(went{rank: 0, calls: usual}, went{rank: 1, calls: slices.Concat(usual, []*model.State{clone, exchange})})
	if v.LeftOut(Awaited{Sender: 1, By: send.ID}) {
		t.Error("the other call is known for the same before they were joined")
	}
	v.JoinAlike(place)
	if !v.LeftOut(Awaited{Sender: 1, By: send.ID}) {
		t.Errorf("not found: %+v", v.Ranks)
	}
}
