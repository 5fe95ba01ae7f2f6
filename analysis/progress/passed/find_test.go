package passed

import (
	"math/rand/v2"
	"slices"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/reduce/reducetest"
)

// call makes the state of a call by a line of a Python program.
func call(function string, line uint64) *model.State {
	s := &model.State{Call: function, Stack: []model.Frame{{Module: model.PythonModule("/home/u/a.py", "run"), Offset: line}}}
	s.ID = s.ContentID()
	return s
}

var (
	first     = call("MPI_Init_thread", 1)
	size      = call("MPI_Comm_size", 2)
	receive   = call("MPI_Recv", 10)
	send      = call("MPI_Send", 12)
	exchange  = call("MPI_Sendrecv", 20)
	allreduce = call("MPI_Allreduce", 22)
	gather    = call("MPI_Gather", 30)
	last      = call("MPI_Finalize", 40)
)

// went is a rank that made some calls in turn, and is in the last of them, or computes behind it.
type went struct {
	rank     int
	calls    []*model.State
	computes bool
}

func (w went) build() *model.Rank {
	t := &model.Thread{}
	index := map[*model.State]int{}
	counts := map[[2]int]uint64{}
	at := -1
	for _, s := range w.calls {
		if _, known := index[s]; !known {
			index[s] = len(t.Model.States)
			t.Model.States = append(t.Model.States, s)
		}
		if at >= 0 {
			counts[[2]int{at, index[s]}]++
		}
		at = index[s]
	}
	for from := range t.Model.States {
		for to := range t.Model.States {
			if n := counts[[2]int{from, to}]; n > 0 {
				t.Model.Edges = append(t.Model.Edges, model.Edge{From: from, To: to, Count: n})
			}
		}
	}
	t.Op = model.Op{State: at, InMPI: !w.computes}
	return &model.Rank{Rank: w.rank, Threads: []*model.Thread{t}}
}

func viewOf(all ...went) View {
	var v View
	for _, w := range all {
		v = Merge(v, ViewOf(w.build()))
	}
	return v
}

func TestFind(t *testing.T) {
	type calls = []*model.State
	for name, c := range map[string]struct {
		ranks   []went
		awaited []Awaited
		want    string // the call that rank 1 went past, and the one that it made instead; "": none
	}{
		"a stage swallows one message": {
			[]went{
				{0, calls{first, size, send, send, send, gather}, false},
				{1, calls{first, size, receive, send, receive, receive, send, gather, last}, false},
				{2, calls{first, size, receive, receive, receive}, false},
			}, []Awaited{{Sender: 1, By: send.ID}}, "MPI_Send, MPI_Recv",
		},
		"a round without its collective": {
			[]went{
				{0, calls{first, exchange, allreduce, exchange, allreduce}, false},
				{1, calls{first, exchange, allreduce, exchange, exchange}, false},
				{2, calls{first, exchange, allreduce, exchange, allreduce}, false},
			}, nil, "MPI_Allreduce, MPI_Sendrecv",
		},
		"another rank has that passage, too": {
			[]went{
				{0, calls{first, exchange, allreduce, exchange, exchange, allreduce}, false},
				{1, calls{first, exchange, allreduce, exchange, exchange}, false},
			}, nil, "",
		},
		"nobody waits in it": {
			[]went{
				{0, calls{first, exchange, allreduce, gather}, false},
				{1, calls{first, exchange, gather}, false},
			}, nil, "",
		},
		"it makes the call elsewhere": {
			[]went{
				{0, calls{first, exchange, allreduce}, false},
				{1, calls{first, allreduce, exchange, gather}, false},
			}, nil, "",
		},
		"the last message to a rank that takes any": {
			[]went{
				{0, calls{first, receive}, false},
				{1, calls{first, receive, send, receive, send, receive, last}, false},
			}, []Awaited{{Sender: 1}}, "MPI_Send, MPI_Finalize",
		},
		"it never makes the call, and computes": {
			[]went{{0, calls{first, size, allreduce}, false}, {1, calls{first, size}, true}}, nil, "MPI_Allreduce, ",
		},
		"two ways that are alike": {
			[]went{
				{0, calls{first, exchange, allreduce, receive, allreduce}, false},
				{1, calls{first, exchange, gather, receive, send, last}, false},
			}, nil, "",
		},
	} {
		v := viewOf(c.ranks...)
		got := ""
		for _, found := range v.Find(model.NewRankSet(1), c.awaited) {
			got = found.State.Call + ", "
			if found.To != nil {
				got += found.To.Call
			}
		}
		checktest.Equal(t, c.want, got, name)
	}
}

// TestInstead: the other calls that a rank makes there are told, since who makes none of them did not decide between them.
func TestInstead(t *testing.T) {
	other := call("MPI_Send", 14)
	v := viewOf(went{0, []*model.State{first, receive}, false},
		went{1, []*model.State{first, receive, send, receive, other, receive, last}, false})
	found := v.Find(model.NewRankSet(1), []Awaited{{Sender: 1, By: send.ID}})
	if len(found) != 1 || len(found[0].Instead) != 1 || found[0].Instead[0].ID != other.ID || !found[0].Sends || !found[0].Sometimes {
		t.Errorf("%+v", found)
	}
}

// TestCommunicating: calls that do not communicate are no part of a passage, and a program in C is no interpreted one.
func TestCommunicating(t *testing.T) {
	v := ViewOf(went{1, []*model.State{first, size, exchange, size, allreduce}, false}.build())
	got := map[[2]string]uint64{}
	for _, p := range v.Ranks[0].Passages {
		got[[2]string{v.States[p.From].Call, v.States[p.To].Call}] = p.Count
	}
	want := map[[2]string]uint64{ // behind the size, both of its successors may come
		{"MPI_Init_thread", "MPI_Sendrecv"}: 1, {"MPI_Init_thread", "MPI_Allreduce"}: 1,
		{"MPI_Sendrecv", "MPI_Sendrecv"}: 1, {"MPI_Sendrecv", "MPI_Allreduce"}: 1,
	}
	checktest.Equal(t, want, got)
	native := *exchange
	native.Stack = []model.Frame{{Module: &model.Module{Path: "a.out"}}}
	if IsInterpreted(went{1, []*model.State{&native}, false}.build()) || !IsInterpreted(went{1, []*model.State{exchange}, false}.build()) {
		t.Error("the program in C is interpreted, or the one in Python is not")
	}
}

func TestViewLaws(t *testing.T) {
	build := func() (out []View) {
		for i := range 9 {
			next := []*model.State{allreduce, gather}[i%2]
			out = append(out, viewOf(went{i, []*model.State{first, exchange, next}, false}))
		}
		return out
	}
	checktest.ErrorIs(t, nil, reducetest.Laws(Views, build, 20, rand.New(rand.NewPCG(1, 2))))
}

// TestPassing: a rank that went past a collective once, to where it is; what others did before tells how sure that is.
func TestPassing(t *testing.T) {
	type calls = []*model.State
	round := calls{exchange, allreduce}
	for name, c := range map[string]struct {
		ranks        []went
		want         bool
		once, before bool
		waiting      int
	}{
		"one of four skips it in the last round": {
			[]went{{rank: 0, calls: append(slices.Clone(round), round...)},
				{rank: 1, calls: calls{exchange, allreduce, exchange, exchange}},
				{rank: 2, calls: append(slices.Clone(round), round...)}, {rank: 3, calls: append(slices.Clone(round), round...)}},
			true, true, true, 3,
		},
		"it skips it now and then": {
			[]went{{rank: 0, calls: append(slices.Clone(round), round...)},
				{rank: 1, calls: calls{exchange, allreduce, exchange, exchange, exchange}}},
			true, false, true, 1,
		},
		"it left the loop": {
			[]went{{rank: 0, calls: append(slices.Clone(round), round...)},
				{rank: 1, calls: calls{exchange, allreduce, exchange, gather}}},
			true, true, false, 1,
		},
		"others skipped it too": {
			[]went{{rank: 0, calls: calls{exchange, exchange, allreduce}},
				{rank: 1, calls: calls{exchange, allreduce, exchange, exchange}}},
			false, false, false, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var view View
			for _, w := range c.ranks {
				view = Merge(view, ViewOf(w.build()))
			}
			found := view.Find(model.NewRankSet(0, 1, 2, 3), nil)
			if !c.want {
				if len(found) > 0 {
					t.Errorf("found %+v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Rank != 1 || found[0].State.ID != allreduce.ID || !found[0].Sometimes {
				t.Fatalf("found %+v", found)
			}
			if f := found[0]; f.Once != c.once || f.Before != c.before || f.Waiting.Len() != c.waiting {
				t.Errorf("once %t, before %t, waiting %v", f.Once, f.Before, f.Waiting)
			}
		})
	}
}

// TestAlone: a rank is alone if at least three others, and all, wait in the call behind the same one, and had made before what it made.
func TestAlone(t *testing.T) {
	type calls = []*model.State
	to := func(rank int, with ...*model.State) went {
		return went{rank, append(calls{first, exchange, receive}, with...), false}
	}
	alike := []went{to(0, allreduce), to(2, allreduce), to(3, allreduce)}
	odd := to(1, exchange)
	for name, c := range map[string]struct {
		ranks []went
		want  bool
	}{
		"all others wait in it":           {append(alike, odd), true},
		"two others are too few":          {append(alike[:2:2], odd), false},
		"one is elsewhere":                {append(alike[:2:2], to(3, gather), odd), false},
		"one came there from elsewhere":   {append(alike[:2:2], to(3, send, allreduce), odd), false},
		"one never made what it made":     {append(alike[:2:2], went{3, calls{first, receive, allreduce}, false}, odd), false},
		"one has gone the same way, once": {append(alike[:2:2], to(3, exchange, receive, allreduce), odd), false},
	} {
		v := viewOf(c.ranks...)
		found := v.Find(model.NewRankSet(1), nil)
		alone := len(found) == 1 && found[0].Alone && found[0].State.ID == allreduce.ID && found[0].To.ID == exchange.ID
		checktest.Equal(t, c.want, alone, name)
	}
}
