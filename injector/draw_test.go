package injector

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	a, err := Draw(7, 100, profilesOf(8), faults, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Draw(7, 100, profilesOf(8), faults, nil)
	if d := cmp.Diff(a, b); d != "" || err != nil {
		t.Error(d, err)
	}
	short, err := Draw(7, 33, profilesOf(8), faults, nil)
	if d := cmp.Diff(a[:33], short); d != "" || err != nil {
		t.Error(d, err)
	}
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
	trials, err := Draw(1, n, profilesOf(4), []Fault{{Kind: Hang}, {Kind: Kill}}, nil)
	if err != nil {
		t.Fatal(err)
	}
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
			if d.Invocation != 1 {
				t.Fatalf("entry %d of g", d.Invocation)
			}
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
	if count[MPI] != n/5 {
		t.Errorf("%v MPI calls of %v", count[MPI], n)
	}
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
