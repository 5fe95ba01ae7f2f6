package epochs

import (
	"math/rand/v2"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/model/modeltest"
	"laggard/reduce/reducetest"
)

const win = 9

var (
	starts = modeltest.StateAt("MPI_Win_start", "add")
	posts  = modeltest.StateAt("MPI_Win_post", "expose")
)

// between is how often a rank started access to another one, and posted its window to it.
type between struct {
	peer            int
	started, posted uint64
}

// rankWith makes a rank of four that opened some epochs.
func rankWith(rank int, all ...between) *model.Rank {
	t := &model.Thread{}
	t.Model.States = []*model.State{posts, starts}
	out := &model.Rank{Rank: rank, Size: 4, Threads: []*model.Thread{t},
		Comms: []*model.Comm{{ID: win, Kind: model.Window, Members: []int{0, 1, 2, 3}}}}
	for _, b := range all {
		out.Channels = append(out.Channels, model.Channel{Peer: b.peer, Tag: model.TagPost, Sent: b.posted, Received: b.started})
		out.Origins = append(out.Origins, model.Origin{Peer: b.peer, Tag: model.TagPost, Number: 1, State: 0})
	}
	return out
}

// TestFind: a rank is left out if its peer opened as many epochs to another one as the rank waits for; not if the peer is late for all.
func TestFind(t *testing.T) {
	access := Wait{Rank: 3, Peer: 1, Win: win, Number: 7}
	exposure := Wait{Rank: 0, Peer: 2, Win: win, Exposure: true, Number: 7}
	for name, c := range map[string]struct {
		wait      Wait
		own, peer *model.Rank
		left      bool
		with      int
	}{
		"of an access": {access, rankWith(3, between{1, 6, 7}, between{0, 7, 7}),
			rankWith(1, between{0, 7, 7}, between{2, 7, 7}, between{3, 6, 7}), true, 0},
		"the peer is late": {access, rankWith(3, between{1, 6, 7}), rankWith(1, between{0, 6, 7}, between{3, 6, 7}), false, 0},
		"never reached": {Wait{Rank: 3, Peer: 1, Win: win, Number: 1}, rankWith(3, between{1, 0, 1}), rankWith(1, between{2, 1, 1}),
			true, 2},
		"the number was opened": {access, rankWith(3, between{1, 6, 7}), rankWith(1, between{0, 8, 8}, between{3, 7, 7}),
			false, 0},
		"of an exposure": {exposure, rankWith(0, between{2, 7, 7}), rankWith(2, between{0, 7, 6}, between{3, 7, 7}), true, 3},
	} {
		waits := []Wait{c.wait}
		v := Merge(ViewOf(c.peer, waits), ViewOf(c.own, waits))
		found := v.Find(waits)
		if len(found) != 1 != !c.left {
			t.Errorf("%s: %+v", name, found)
			continue
		}
		if !c.left {
			continue
		}
		by, own := starts, posts
		if c.wait.Exposure {
			by, own = posts, starts
		}
		if x := found[0]; x.With != c.with || x.By == nil || x.By.ID != by.ID || x.Own == nil || x.Own.ID != own.ID {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

// TestOtherCalls: which of two calls started access is not known, and of a rank whose channels were given up nothing is.
func TestOtherCalls(t *testing.T) {
	waits := []Wait{{Rank: 3, Peer: 1, Win: win, Number: 7}}
	own, peer := rankWith(3, between{1, 6, 7}), rankWith(1, between{0, 7, 7}, between{3, 6, 7})
	peer.Threads[0].Model.States = append(peer.Threads[0].Model.States, modeltest.StateAt("MPI_Win_start", "sum"))
	v := Merge(ViewOf(peer, waits), ViewOf(own, waits))
	if found := v.Find(waits); len(found) != 1 || found[0].By != nil {
		t.Errorf("%+v", found)
	}
	peer.Evicted = 1
	v = Merge(ViewOf(peer, waits), ViewOf(own, waits))
	if found := v.Find(waits); len(found) != 0 {
		t.Errorf("of an incomplete record: %+v", found)
	}
}

func TestViewLaws(t *testing.T) {
	build := func() (out []View) {
		for rank := range 4 {
			out = append(out, ViewOf(rankWith(rank, between{(rank + 1) % 4, 2, 3}), []Wait{{Rank: 3, Peer: 1, Win: win}}))
		}
		return out
	}
	checktest.ErrorIs(t, nil, reducetest.Laws(Views, build, 20, rand.New(rand.NewPCG(1, 2))))
}
