package unsent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/model/modeltest"
)

// The job of the tests: ranks 0 to 3, messages with tag 7 on communicator 1.
const (
	world = 1
	tag   = 7
)

// testRank makes a rank that is in a call and has sent and received messages.
type testRank struct {
	rank     int
	in       *model.State
	sent     []model.Channel
	by       []*model.State // of each of sent; nil unknown
	first    uint64         // number of the first message by these calls; 0: 1
	received []model.Channel
	wild     []model.Wildcard
}

func (r testRank) build() *model.Rank {
	t := &model.Thread{Op: model.Op{State: 0, InMPI: true}}
	t.Model.States = []*model.State{r.in}
	out := &model.Rank{Rank: r.rank, Size: 4, Threads: []*model.Thread{t}, Comms: []*model.Comm{
		{ID: world, Kind: model.World, Members: []int{0, 1, 2, 3}}, {ID: 2, Members: []int{0, 1, 2, 3}},
	}}
	for i, ch := range r.sent {
		out.Channels = append(out.Channels, ch)
		if by := r.by[i]; by != nil {
			t.Model.States = append(t.Model.States, by)
			out.Origins = append(out.Origins, model.Origin{
				Comm: ch.Comm, Peer: ch.Peer, Tag: ch.Tag, Number: max(r.first, 1), State: len(t.Model.States) - 1,
			})
		}
	}
	out.Channels, out.Wildcards = append(out.Channels, r.received...), r.wild
	return out
}

// find asks the ranks about one wait, in both orders of merging.
func find(t *testing.T, w Wait, ranks ...testRank) Message {
	t.Helper()
	var forth, back View
	all := model.NewRankSet(0, 1, 2, 3)
	for i := range ranks {
		forth = Merge(forth, ViewOf(ranks[i].build(), []Wait{w}, all))
		back = Merge(ViewOf(ranks[len(ranks)-1-i].build(), []Wait{w}, all), back)
	}
	found := forth.Find([]Wait{w})
	if diff := cmp.Diff(found, back.Find([]Wait{w})); diff != "" || len(found) != 1 {
		t.Fatalf("%d messages; another order, another result:\n%s", len(found), diff)
	}
	return found[0]
}

var (
	isend   = modeltest.StateAt("MPI_Isend", "halo")
	other   = modeltest.StateAt("MPI_Send", "coupler")
	barrier = modeltest.StateAt("MPI_Barrier", "main")
	waitall = modeltest.StateAt("MPI_Waitall", "halo wait")
)

func sent(comm, to, tag int, n uint64) model.Channel {
	return model.Channel{Comm: comm, Peer: to, Tag: tag, Sent: n}
}

func received(comm, from, tag int, n uint64) model.Channel {
	return model.Channel{Comm: comm, Peer: from, Tag: tag, Received: n}
}

// TestNever: a rank never made the call by which others send in the same direction. What they send to it is something else.
func TestNever(t *testing.T) {
	back := modeltest.StateAt("MPI_Isend", "back")
	m := find(t, Wait{Rank: 2, Peer: 1, Comm: world, Tag: tag, Number: 1}, testRank{rank: 1, in: barrier},
		testRank{rank: 2, in: waitall, sent: []model.Channel{sent(0, 1, tag, 9), sent(0, 3, tag, 1)}, by: []*model.State{back, isend}},
		testRank{rank: 3, in: waitall, sent: []model.Channel{sent(0, 2, tag, 1)}, by: []*model.State{back}},
		testRank{rank: 0, in: waitall, sent: []model.Channel{sent(0, 3, tag, 1)}, by: []*model.State{back}})
	if m.By == nil || m.By.ID != isend.ID || !m.Never || !m.Callers.Equal(model.NewRankSet(2)) || m.At.ID != barrier.ID {
		t.Errorf("%+v", m)
	}
}

// TestReplies: that workers send requests to their master with the tag of its replies says nothing of the replies.
func TestReplies(t *testing.T) {
	m := find(t, Wait{Rank: 2, Peer: 0, Comm: world, Tag: tag, Number: 1}, testRank{rank: 0, in: barrier},
		testRank{rank: 2, in: waitall, sent: []model.Channel{sent(0, 0, tag, 1)}, by: []*model.State{isend}},
		testRank{rank: 3, in: waitall, sent: []model.Channel{sent(0, 0, tag, 1)}, by: []*model.State{isend}})
	if m.By != nil {
		t.Errorf("%+v", m)
	}
}

// TestOwnCall: the call by which a rank sent earlier messages comes before those of others.
func TestOwnCall(t *testing.T) {
	m := find(t, Wait{Rank: 0, Peer: 1, Comm: world, Tag: tag, Number: 3, Sent: 2},
		testRank{rank: 1, in: barrier, sent: []model.Channel{sent(0, 0, tag, 2)}, by: []*model.State{other}},
		testRank{rank: 2, in: waitall, sent: []model.Channel{sent(0, 1, tag, 9)}, by: []*model.State{isend}})
	if m.By == nil || m.By.ID != other.ID || m.Never || !m.Callers.Equal(model.NewRankSet(1)) || len(m.Others) > 0 {
		t.Errorf("%+v", m)
	}
}

// in is a rank that waits, and has received messages.
func in(rank int, had ...model.Channel) testRank {
	return testRank{rank: rank, in: waitall, received: had}
}

// anyOf is receives from any source with a tag that are not complete.
func anyOf(tag int, n uint64) []model.Wildcard {
	return []model.Wildcard{{Peer: model.Any, Tag: tag, Count: n, State: -1}}
}

// TestOthers: messages that went elsewhere and lie unreceived are told, those that were received are not.
func TestOthers(t *testing.T) {
	w := Wait{Rank: 2, Peer: 0, Comm: world, Tag: tag, Number: 1}
	for name, c := range map[string]struct {
		sent     model.Channel
		received testRank
		want     []Other
	}{
		"another tag": {sent(0, 2, 8, 3), in(2, received(0, 0, 8, 2)),
			[]Other{{To: 2, Comm: world, Tag: 8, Count: 1, By: other, Usual: true}}},
		"another communicator": {sent(1, 2, tag, 1), in(2), []Other{{To: 2, Comm: 2, Tag: tag, Count: 1, By: other}}},
		"received":             {sent(0, 2, 8, 3), in(2, received(0, 0, 8, 3)), nil},
		"perhaps received":     {sent(0, 2, 8, 2), testRank{rank: 2, in: waitall, wild: anyOf(8, 2)}, nil},
		"perhaps received in part": {sent(0, 2, 8, 3), testRank{rank: 2, in: waitall, wild: anyOf(8, 2)},
			[]Other{{To: 2, Comm: world, Tag: 8, Count: 1, By: other}}},
		"a wildcard of another tag": {sent(0, 2, 8, 1), testRank{rank: 2, in: waitall, wild: anyOf(9, 2)},
			[]Other{{To: 2, Comm: world, Tag: 8, Count: 1, By: other}}},
		"another rank": {sent(0, 3, tag, 1), in(3), []Other{{To: 3, Comm: world, Tag: tag, Count: 1, By: other}}},
		"another rank on another communicator": {sent(1, 3, tag, 1), in(3),
			[]Other{{To: 3, Comm: 2, Tag: tag, Count: 1, By: other}}},
		"another rank with another tag": {sent(1, 3, 8, 1), in(3), nil},
		"itself on another communicator": {sent(1, 0, tag, 1), in(2),
			[]Other{{To: 0, Comm: 2, Tag: tag, Count: 1, By: other}}},
		"another rank that receives such messages": {sent(0, 3, tag, 2), in(3, received(0, 0, tag, 1)), nil},
	} {
		all := []testRank{{rank: 0, in: barrier, sent: []model.Channel{c.sent}, by: []*model.State{other}}, c.received}
		if c.received.rank != w.Rank {
			all = append(all, in(w.Rank))
		}
		checktest.Equal(t, c.want, find(t, w, all...).Others, name)
	}
}

// TestLaterRounds: counts of later rounds that lie unreceived are not taken for the particles that other ranks send by a call of their
// own; a tag that was never received before may be meant for them.
func TestLaterRounds(t *testing.T) {
	w := Wait{Rank: 2, Peer: 0, Comm: world, Tag: tag, Number: 1}
	particles := testRank{rank: 1, in: waitall, sent: []model.Channel{sent(0, 3, tag, 4)}, by: []*model.State{isend}}
	counts := testRank{rank: 0, in: barrier, sent: []model.Channel{sent(0, 2, 8, 3)}, by: []*model.State{other}}
	for had, want := range map[uint64]int{0: 1, 1: 0} {
		m := find(t, w, particles, counts, in(2, received(0, 0, 8, had)))
		if len(m.Others) != want || m.By == nil || !m.Never {
			t.Errorf("%d received: %+v", had, m)
		}
	}
	counts.in = other // and still sends one
	if m := find(t, w, particles, counts, in(2, received(0, 0, 8, 2))); len(m.Others) != 1 {
		t.Errorf("within the call: %+v", m)
	}
}

// TestUnanswered: what the rank that waits has sent to the one that should send lies there as far as that has not received it.
func TestUnanswered(t *testing.T) {
	w := Wait{Rank: 2, Peer: 0, Comm: world, Tag: tag, Number: 3, Sent: 2}
	asks := testRank{rank: 2, in: waitall, sent: []model.Channel{sent(0, 0, 8, 3), sent(0, 1, 8, 1)}, by: []*model.State{other, other}}
	for had, want := range map[uint64][]Other{3: nil, 2: {{From: 2, To: 0, Comm: world, Tag: 8, Count: 1, By: other, Usual: true}}} {
		m := find(t, w, testRank{rank: 0, in: barrier, received: []model.Channel{received(0, 2, 8, had)}}, asks)
		checktest.Equal(t, want, m.Unanswered, had, "received")
	}
}

// TestFailed: of a message that came, the call is told only if no other one can have sent it.
func TestFailed(t *testing.T) {
	for first, known := range map[uint64]bool{1: true, 3: true, 2: false} {
		m := find(t, Wait{Rank: 0, Peer: 1, Comm: world, Tag: tag, Number: 3, Failed: true},
			testRank{rank: 1, in: barrier, sent: []model.Channel{sent(0, 0, tag, 5)}, by: []*model.State{other}, first: first})
		if (m.By != nil) != known {
			t.Errorf("from message %d on: %+v, known %v", first, m.By, known)
		}
	}
}

// TestRounds: how often a sender made its call, and whether another kind of its messages may have told the rank that waits.
func TestRounds(t *testing.T) {
	w := Wait{Rank: 2, Peer: 1, Comm: world, Tag: tag, Number: 5, Sent: 4}
	for name, c := range map[string]struct {
		third uint64 // messages to rank 3
		first uint64 // number of the first of each by that call
		had   []model.Channel
		want  Rounds
	}{
		"as many to each":         {5, 1, nil, Rounds{Only: true, Each: 5, All: 14}},
		"fewer to one":            {4, 1, nil, Rounds{Only: true, All: 13}},
		"by another call before":  {5, 2, nil, Rounds{All: 14}},
		"another kind each round": {5, 1, []model.Channel{received(0, 1, 8, 4)}, Rounds{Only: true, Each: 5, All: 14}},
		"another kind once":       {5, 1, []model.Channel{received(0, 1, 8, 1)}, Rounds{Only: true, Each: 5, All: 14, Told: true}},
	} {
		sender := testRank{rank: 1, in: barrier, by: []*model.State{isend, isend, isend}, first: c.first,
			sent: []model.Channel{sent(0, 2, tag, 4), sent(0, 0, tag, 5), sent(0, 3, tag, c.third)}}
		m := find(t, w, sender, in(2, append(c.had, received(0, 1, tag, 4))...))
		checktest.Equal(t, c.want, m.Rounds, name)
	}
}

// TestSharedExchange: ranks come to one exchange from two places. A rank that sent there in the first round and passed the second place
// is told by the call that the others made in the second.
func TestSharedExchange(t *testing.T) {
	from := func(call, place string, callers ...uint64) *model.State {
		s := modeltest.StateAt(call, place)
		for _, at := range callers {
			s.Stack = append(s.Stack, model.Frame{Offset: at})
		}
		return s
	}
	first, second := from("MPI_Isend", "first", 20, 16), from("MPI_Isend", "second", 20, 21)
	waits := from("MPI_Waitall", "waits", 22, 21)
	w := Wait{Rank: 2, Peer: 1, Comm: world, Tag: tag, Number: 2, Sent: 1}
	sender := testRank{rank: 1, in: barrier, sent: []model.Channel{sent(0, 2, tag, 1)}, by: []*model.State{first}}
	others := func(in, by *model.State, number uint64) []testRank {
		one := testRank{rank: 2, in: in, sent: []model.Channel{sent(0, 3, tag, 2)}, by: []*model.State{by}, first: number}
		two := testRank{rank: 3, in: in, sent: []model.Channel{sent(0, 0, tag, 2)}, by: []*model.State{by}, first: number}
		return []testRank{one, two}
	}
	for name, c := range map[string]struct {
		sender testRank
		others []testRank
		told   bool
	}{
		"passed":                      {sender, others(waits, second, 2), true},
		"the others sent by the same": {sender, others(waits, first, 1), false},
		"they wait elsewhere":         {sender, others(from("MPI_Waitall", "elsewhere", 22, 30), second, 2), false},
		"it is not their round":       {sender, others(waits, second, 3), false},
		"the sender came there, too": {testRank{rank: 1, in: barrier, sent: []model.Channel{sent(0, 2, tag, 1), sent(0, 0, 8, 1)},
			by: []*model.State{first, second}}, others(waits, second, 2), false},
	} {
		m := find(t, w, append(c.others, c.sender)...)
		if told := m.Earlier != nil; told != c.told || m.Never != c.told || told && (m.By.ID != second.ID || m.Earlier.ID != first.ID) ||
			told && !m.Callers.Equal(model.NewRankSet(2, 3)) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
