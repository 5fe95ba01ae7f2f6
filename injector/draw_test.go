package injector

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// profilesOf makes profiles of ranks that enter f 10 times and g once, among
// them entries before MPI_Init, and two MPI calls.
func profilesOf(ranks int) []*Profile {
	var out []*Profile
	for rank := range ranks {
		out = append(out, &Profile{Rank: rank, Cap: 100, Functions: []Entered{
			{Target{User, "app", "f", 0x10, "", 0}, 2, 10, 0},
			{Target{User, "app", "g", 0x20, "", 0}, 0, 1, 3},
			{Target{User, "app", "early", 0x30, "", 0}, 5, 0, 0},
			{Target{User, "app", "late", 0x40, "", 0}, 0, 0, 5},
			{Target{MPI, "libmpi.so", "MPI_Send", 0x10, "", 0}, 0, 100, 0},
			{Target{MPI, "libmpi.so", "MPI_Init", 0x20, "", 0}, 0, 1, 0},
		}})
	}
	return out
}

func TestDrawIsDeterminedByItsSeed(t *testing.T) {
	faults := []Fault{{Kind: Hang}, {Kind: Spin}}
	a := musttest.Get(Draw(7, 100, profilesOf(8), faults, nil))(t)
	b := musttest.Get(Draw(7, 100, profilesOf(8), faults, nil))(t)
	checktest.Equal(t, a, b)
	short := musttest.Get(Draw(7, 33, profilesOf(8), faults, nil))(t)
	checktest.Equal(t, a[:33], short)
	other, err := Draw(8, 100, profilesOf(8), faults, nil)
	if err != nil || slices.EqualFunc(a, other, func(x, y Trial) bool { return x.Strike == y.Strike }) {
		t.Error("another seed gives the same trials", err)
	}
	// Fixed for ever: a journal of last year must still fit.
	if last := a[99].Strike; last.Rank != 2 || last.Target.Function != "MPI_Init" || last.Invocation != 1 ||
		last.Fault.Kind != Hang {
		t.Errorf("the last trial of seed 7 is now %+v", last)
	}
	if first := a[0].Strike; first.Rank != 0 || first.Target.Function != "g" || first.Invocation != 1 ||
		first.Fault.Kind != Hang {
		t.Errorf("the first trial of seed 7 is now %+v", first)
	}
}

func TestDrawIsEven(t *testing.T) {
	const n = 20000
	trials := musttest.Get(Draw(1, n, profilesOf(4), []Fault{{Kind: Hang}, {Kind: Kill}}, nil))(t)
	count := map[any]float64{}
	for _, d := range trials {
		count[d.Rank]++
		count[d.Target.Class]++
		count[d.Target.Function]++
		count[d.Fault.Kind]++
		if d.Target.Function == "f" {
			count[[2]int{0, d.Invocation}]++
		}
		switch d.Target.Function {
		case "early", "late":
			t.Fatalf("%s is not entered while MPI runs", d.Target.Function)
		case "g":
			musttest.Equal(t, 1, d.Invocation, "entry of g")
		}
	}
	near := func(what any, share float64) {
		sd := math.Sqrt(n * share * (1 - share))
		if math.Abs(count[what]-n*share) > 5*sd {
			t.Errorf("%v: %v of %v trials, expected %v", what, count[what], n, n*share)
		}
	}
	for rank := range 4 {
		near(rank, 0.25)
	}
	for entry := 3; entry <= 12; entry++ {
		near([2]int{0, entry}, 0.04)
	}
	near("f", 0.4)
	near("MPI_Init", 0.1)
	near(Hang, 0.5)
	checktest.Equal(t, n/5, count[MPI], "MPI calls of", n)
}

// divergenceProfiles are of ranks that make a barrier, three broadcasts in a loop with a
// reduction, and something that makes a communicator.
func divergenceProfiles(ranks int) []*Profile {
	var out []*Profile
	for rank := range ranks {
		p := &Profile{Rank: rank}
		add := func(function string, offset uint64, number, root, count int, own bool) {
			p.Collectives = append(p.Collectives, Collective{Function: function, Module: "app", Offset: offset,
				Within: 1, Own: own, Number: number, Root: root, Count: count, Type: len(p.Collectives) % 2,
				Plain: function != "MPI_Comm_dup"})
		}
		add("MPI_Barrier", 0x10, 1, -1, -1, true)
		add("MPI_Barrier", 0x99, 2, -1, -1, false)
		for i := range 3 {
			add("MPI_Bcast", 0x20, 3+2*i, 0, 4, true)
			add("MPI_Allreduce", 0x30, 4+2*i, -1, 1, true)
		}
		add("MPI_Comm_dup", 0x40, 9, -1, -1, true)
		for i, at := range []uint64{0x20, 0x30, 0x20} {
			j := Jump{Module: "app", Offset: uint64(i), Loop: i < 2, After: []int{i + 1, 7}}
			j.Call.Module, j.Call.Offset = "app", at
			p.Jumps = append(p.Jumps, j)
		}
		out = append(out, p)
	}
	return out
}

func TestDrawDivergences(t *testing.T) {
	var faults []Fault
	for _, text := range []string{"skip", "extra:2", "leave:abort", "root", "count", "type", "order", "loop",
		"branch"} {
		f := musttest.Get(ParseFault(text))(t)
		faults = append(faults, f)
	}
	profiles := divergenceProfiles(4)
	trials := musttest.Get(DrawDivergences(3, 900, profiles, faults, nil))(t)
	again := musttest.Get(DrawDivergences(3, 33, divergenceProfiles(4), faults, nil))(t)
	checktest.Equal(t, trials[:33], again)
	drawn := map[string]int{}
	for i, s := range trials {
		if s.Fault != faults[i%len(faults)] || len(s.Ranks()) != max(s.Fault.Ranks, 1) {
			t.Fatalf("trial %d: %+v", i, s)
		}
		drawn[s.Fault.String()+" "+s.Target.Function]++
		for _, rank := range s.Ranks() {
			own, is := s.forRank(rank)
			c := profiles[rank].Collectives[own.Invocation-1]
			if !is || !s.Fault.flipsJump() && (c.Function != s.Target.Function || c.Offset != s.Target.Offset) {
				t.Fatalf("trial %d, rank %d: %+v", i, rank, c)
			}
		}
		if j := s.Divergence.Jump; s.Fault.flipsJump() != (j != nil) || j != nil && (j.Loop != (s.Fault.Kind == Loop) ||
			s.Invocation != 7 && s.Invocation != int(j.Offset)+1 || j.Call.Offset != s.Target.Offset) {
			t.Fatalf("trial %d: %+v", i, s.Strike)
		}
	}
	for _, want := range []string{"skip MPI_Barrier", "skip MPI_Bcast", "skip MPI_Allreduce", "extra:2 MPI_Barrier",
		"leave:abort MPI_Bcast", "root MPI_Bcast", "count MPI_Bcast", "count MPI_Allreduce", "type MPI_Allreduce",
		"order MPI_Bcast", "order MPI_Allreduce", "loop MPI_Bcast", "loop MPI_Allreduce", "branch MPI_Bcast"} {
		if drawn[want] < 20 {
			t.Errorf("%s is drawn %d times", want, drawn[want])
		}
		delete(drawn, want)
	}
	for other, n := range drawn {
		fault, function, _ := strings.Cut(other, " ")
		if fault == "root" || fault == "branch" || function == "MPI_Comm_dup" {
			t.Errorf("%s is drawn %d times", other, n)
		}
	}
	checktest.Fails(DrawDivergences(1, 1, profilesOf(2), faults, nil))(t, ErrNothingToDraw)
}

func TestNothingToDraw(t *testing.T) {
	for name, call := range map[string]func() ([]Trial, error){
		"no profile": func() ([]Trial, error) { return Draw(1, 1, nil, []Fault{{Kind: Hang}}, nil) },
		"no fault":   func() ([]Trial, error) { return Draw(1, 1, profilesOf(1), nil, nil) },
		"excluded": func() ([]Trial, error) {
			return Draw(1, 1, profilesOf(1), []Fault{{Kind: Hang}}, func(t Target) bool { return t.Class == User })
		},
	} {
		if trials, err := call(); !errors.Is(err, ErrNothingToDraw) || trials != nil {
			t.Errorf("%s: %v, %v", name, trials, err)
		}
	}
}
