package divergence

import (
	"testing"

	"laggard/model"
)

// TestIsAlike: two groups in which a rank made the same call in the place of the others' part alike; not where it is another call or
// number, or in one group neither side is the many.
func TestIsAlike(t *testing.T) {
	call := func(place string) Call {
		s := &model.State{Call: "MPI_Bcast"}
		copy(s.ID[:], place)
		return CallIn(s)
	}
	parted := func(comm, number uint64, own, theirs string) Divergence {
		return Divergence{Comm: comm, Majority: true, Odd: []Odd{{Deviation{
			Kind: Mismatch, Number: number, Calls: []Call{call(own)}, Theirs: []Call{call(theirs)},
		}, Line{}}}}
	}
	first := parted(1, 3, "exists", "gather")
	sides := parted(2, 3, "exists", "gather")
	sides.Majority = false
	for name, c := range map[string]struct {
		other Divergence
		want  bool
	}{
		"the same":                 {parted(2, 3, "exists", "gather"), true},
		"the same communicator":    {parted(1, 3, "exists", "gather"), false},
		"another call":             {parted(2, 3, "attributes", "gather"), false},
		"another call of others":   {parted(2, 3, "exists", "attributes"), false},
		"at another collective":    {parted(2, 4, "exists", "gather"), false},
		"neither side is the many": {sides, false},
	} {
		if got := first.IsAlike(&c.other); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
