package inside

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
)

// rankIn is a rank of which a stack was captured: in the library at an offset, then
// the recorder, then the program.
func rankIn(n int, offset uint64) *model.Rank {
	at := func(path string, offset uint64) model.Frame {
		return model.Frame{Module: &model.Module{Path: path, Base: uint64(n) << 20}, Offset: offset}
	}
	return &model.Rank{Rank: n, Family: "openmpi", Library: fmt.Sprintf("Open MPI v4.1.%d", n%2),
		Threads: []*model.Thread{{Calls: 7, Captured: &model.Capture{InMPI: true, Calls: 7, Stack: []model.Frame{
			at("/usr/lib/libopen-pal.so.40", offset), at("/usr/lib/libmpi.so.40", 1), at("/opt/liblaggard.so", 2),
			at("/home/u/app", 3),
		}}}}}
}

func TestOf(t *testing.T) {
	r := rankIn(3, 16)
	v := ViewOf(r)
	if len(v.Stacks) != 1 || len(v.Stacks[0].Frames) != 2 || v.Stacks[0].Frames[1].Offset != 1 {
		t.Errorf("got %+v: want the two frames of the library", v.Stacks)
	}
	r.Threads[0].Calls++ // it is in another call by now
	if v := ViewOf(r); len(v.Stacks) != 0 {
		t.Errorf("a stack of an earlier call: %+v", v.Stacks)
	}
	r.Threads[0].Calls--
	r.Threads[0].Captured.InMPI = false
	if v := ViewOf(r); len(v.Stacks) != 0 {
		t.Errorf("a stack outside MPI: %+v", v.Stacks)
	}
}

// TestMergeLaws: any order and grouping of more stacks than have room gives the same.
func TestMergeLaws(t *testing.T) {
	const ranks = 3 * maxStacks
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		views := make([]View, ranks)
		for i, n := range r.Perm(ranks) {
			views[i] = ViewOf(rankIn(n, uint64(n*n%(2*maxStacks))))
		}
		for len(views) > 1 {
			i := r.IntN(len(views) - 1)
			views[i] = Merge(views[i], views[i+1])
			views = append(views[:i+1], views[i+2:]...)
		}
		seen := views[0].Others
		for _, s := range views[0].Stacks {
			seen = seen.Union(s.Ranks)
		}
		if seen.Len() != ranks || len(views[0].Libraries) != 2 {
			t.Fatalf("%d ranks, libraries %v", seen.Len(), views[0].Libraries)
		}
		text, _ := json.Marshal(views[0])
		var again View
		musttest.Succeed(t, json.Unmarshal(text, &again))
		if seed == 0 {
			first = string(text)
		} else if string(text) != first {
			t.Fatalf("seed %d: another result", seed)
		}
	}
}

var first string
