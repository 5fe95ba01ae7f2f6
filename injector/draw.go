package injector

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Trial is one injection of a campaign.
type Trial struct {
	ID    string `json:"id"` // seed and number: "7-012"
	Seed  uint64 `json:"seed"`
	Index int    `json:"index"` // among those of the seed, from 0
	// Loaded: the machine has other work meanwhile, a busy thread for each core.
	Loaded bool `json:"loaded,omitempty"`
	Strike
}

// Every fifth trial is at an MPI call, the others at user functions: the
// paper's 20 user and 5 MPI calls.
const mpiEvery = 5

// stream tells our random numbers from others made of the same seed.
const stream = 0x6c616767617264 // "laggard"

// Draw makes n trials from a seed: for each a rank, a function that this rank
// enters between MPI_Init and MPI_Finalize, and one of these entries, all with
// equal chances. profiles are by rank. keep says which functions may be drawn;
// nil is all. The same arguments give the same trials, and a smaller n their
// beginning. It wraps ErrNothingToDraw if a rank has no function of a class.
func Draw(seed uint64, n int, profiles []*Profile, faults []Fault, keep func(Target) bool) ([]Trial, error) {
	var pools []map[Class][]Entered
	for _, p := range profiles {
		pool := poolOf(p, keep)
		for _, class := range []Class{User, MPI} {
			if len(pool[class]) == 0 {
				return nil, fmt.Errorf("injector: rank %d: class %s: %w", p.Rank, class, ErrNothingToDraw)
			}
		}
		pools = append(pools, pool)
	}
	if len(pools) == 0 || len(faults) == 0 {
		return nil, fmt.Errorf("injector: %d profiles and %d faults: %w", len(pools), len(faults), ErrNothingToDraw)
	}
	random := rand.New(rand.NewPCG(seed, stream))
	var out []Trial
	for i := range n {
		t := Trial{ID: fmt.Sprintf("%d-%03d", seed, i), Seed: seed, Index: i}
		t.Rank = random.IntN(len(pools))
		class := User
		if i%mpiEvery == mpiEvery-1 {
			class = MPI
		}
		f := pick(random, pools[t.Rank][class])
		t.Target, t.Entry = f.Target, profiles[t.Rank].Entry
		t.Invocation = f.Before + 1 + random.IntN(f.Running)
		t.Fault = pick(random, faults)
		out = append(out, t)
	}
	return out, nil
}

// poolOf is what can be drawn of a profile, by class.
func poolOf(p *Profile, keep func(Target) bool) map[Class][]Entered {
	out := map[Class][]Entered{}
	for _, f := range p.Functions {
		if f.Running > 0 && (keep == nil || keep(f.Target)) {
			out[f.Class] = append(out[f.Class], f)
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, byPlace)
	}
	return out
}

func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }
