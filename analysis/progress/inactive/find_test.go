package inactive

import (
	"math/rand/v2"
	"testing"

	"laggard/model"
	"laggard/model/modeltest"
	"laggard/reduce/reducetest"
)

const (
	world = 1
	tag   = 7
)

var sends, receives = modeltest.StateAt("MPI_Send_init", "to the next"), modeltest.StateAt("MPI_Recv_init", "from the one before")

// made is a request for messages to or from a rank, and how often it was started.
type made struct {
	peer    int
	sends   bool
	started uint64
}

// rankWith makes a rank of four with some requests, which alone send and receive.
func rankWith(rank int, all ...made) *model.Rank {
	t := &model.Thread{}
	t.Model.States = []*model.State{sends, receives}
	out := &model.Rank{Rank: rank, Size: 4, Threads: []*model.Thread{t},
		Comms: []*model.Comm{{ID: world, Kind: model.World, Members: []int{0, 1, 2, 3}}}}
	for _, m := range all {
		p := model.Persistent{Peer: m.peer, Tag: tag, Sends: m.sends, State: 1, Made: 1, Started: m.started}
		ch := model.Channel{Peer: m.peer, Tag: tag, Received: m.started}
		if m.sends {
			p.State = 0
			ch.Sent, ch.Received = m.started, 0
		}
		out.Persistent = append(out.Persistent, p)
		if m.started > 0 {
			out.Channels = append(out.Channels, ch)
		}
	}
	return out
}

// TestFind: a request is told that was never started, or less often than others; not if its rank is only behind with all of them.
func TestFind(t *testing.T) {
	fifth := Wait{Rank: 3, Peer: 2, Comm: world, Tag: tag, Sends: true, Number: 5}
	first := fifth
	first.Number = 1
	taken := Wait{Rank: 1, Peer: 2, Comm: world, Tag: tag, Number: 5}
	ahead := rankWith(1, made{2, true, 5}, made{0, false, 5})
	for name, c := range map[string]struct {
		wait  Wait
		peer  *model.Rank
		found bool
		more  model.RankSet
	}{
		"never started":              {first, rankWith(2, made{3, true, 0}, made{1, false, 1}), true, model.NewRankSet(1)},
		"once less":                  {fifth, rankWith(2, made{3, true, 4}, made{1, false, 5}), true, model.NewRankSet(1)},
		"the rank is behind":         {fifth, rankWith(2, made{3, true, 4}, made{1, false, 4}), false, model.RankSet{}},
		"another one of the call":    {fifth, rankWith(2, made{3, true, 4}, made{0, true, 5}), true, model.NewRankSet(1, 2)},
		"a receive":                  {taken, rankWith(2, made{3, true, 5}, made{1, false, 4}), true, model.NewRankSet(1)},
		"started often enough":       {fifth, rankWith(2, made{3, true, 5}, made{1, false, 6}), false, model.RankSet{}},
		"no request":                 {fifth, rankWith(2, made{0, true, 4}, made{1, false, 5}), false, model.RankSet{}},
		"a request of the other way": {first, rankWith(2, made{3, false, 0}), false, model.RankSet{}},
	} {
		v := Merge(ViewOf(c.peer), ViewOf(ahead))
		found := v.Find([]Wait{c.wait})
		if len(found) != 1 != !c.found {
			t.Errorf("%s: %+v", name, found)
			continue
		}
		if c.found && (!found[0].More.Equal(c.more) || found[0].By == nil) {
			t.Errorf("%s: %+v, want %s", name, found[0], c.more)
		}
	}
}

// TestWaited: that a rank waited for a request which it had not started again is told, though others have not either.
func TestWaited(t *testing.T) {
	peer := rankWith(2, made{3, true, 4}, made{1, false, 4})
	peer.Persistent[0].Idle = 1
	v := ViewOf(peer)
	w := Wait{Rank: 3, Peer: 2, Comm: world, Tag: tag, Sends: true, Number: 5}
	if found := v.Find([]Wait{w}); len(found) != 1 || !found[0].Waited || found[0].Most > 0 {
		t.Errorf("%+v", found)
	}
}

// TestUnsure: of messages that another call sends, too, and of several requests, nothing is told.
func TestUnsure(t *testing.T) {
	w := Wait{Rank: 3, Peer: 2, Comm: world, Tag: tag, Sends: true, Number: 5}
	for name, change := range map[string]func(*model.Rank){
		"sent by another call, too": func(r *model.Rank) {
			r.Channels = append(r.Channels, model.Channel{Peer: 3, Tag: tag, Sent: 2})
		},
		"two": func(r *model.Rank) { r.Persistent = append(r.Persistent, r.Persistent[0]) },
	} {
		peer := rankWith(2, made{3, true, 0}, made{1, false, 5})
		change(peer)
		v := ViewOf(peer)
		if found := v.Find([]Wait{w}); len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestViewLaws(t *testing.T) {
	build := func() (out []View) {
		for rank := range 4 {
			out = append(out, ViewOf(rankWith(rank, made{(rank + 1) % 4, true, 2})))
		}
		return out
	}
	if err := reducetest.Laws(Views, build, 20, rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Error(err)
	}
}
