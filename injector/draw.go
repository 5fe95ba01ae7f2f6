package injector

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"laggard/model/mpi"
)

// Trial is one injection of a campaign.
type Trial struct {
	ID     string `json:"id"`               // seed and number, such as "7-012"
	Seed   uint64 `json:"seed"`             // the seed
	Index  int    `json:"index"`            // number among those of the seed, from 0
	Loaded bool   `json:"loaded,omitempty"` // every core was kept busy by other processes
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
		pool := drawPool(p, keep)
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

// DrawDivergences makes n trials from a seed, of the faults in turn: for each a rank, a
// place from which it makes collectives of its program's own that the fault fits, and
// one of these, all with equal chances. It is otherwise as Draw.
func DrawDivergences(seed uint64, n int, profiles []*Profile, faults []Fault, keep func(Target) bool) ([]Trial, error) {
	random := rand.New(rand.NewPCG(seed, stream))
	places := map[Fault][][][]int{} // by rank
	first := firstObjects(profiles)
	for _, f := range faults {
		for _, p := range profiles {
			places[f] = append(places[f], eligibleCalls(f, p, first, keep))
		}
	}
	faults = slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool {
		return !slices.ContainsFunc(places[f], func(of [][]int) bool { return len(of) > 0 })
	})
	if len(faults) == 0 {
		return nil, fmt.Errorf("injector: %d profiles: %w", len(profiles), ErrNothingToDraw)
	}
	var out []Trial
	for i := range n {
		t := Trial{ID: fmt.Sprintf("%d-%03d", seed, i), Seed: seed, Index: i}
		t.Fault = faults[i%len(faults)]
		var of [][]int
		for len(of) == 0 {
			t.Rank = random.IntN(len(profiles))
			of = places[t.Fault][t.Rank]
		}
		p := profiles[t.Rank]
		at := pick(random, pick(random, of))
		t.setTarget(p, at)
		if t.Fault.flipsJump() {
			jump := pick(random, p.decidingJumps(&p.Collectives[at], t.Fault.Kind == Loop))
			t.Invocation, jump.After = pick(random, jump.After), nil
			t.Divergence.Jump = &jump
		}
		for _, other := range random.Perm(len(profiles)) {
			if other != t.Rank && len(t.Divergence.Others) < t.Fault.Ranks-1 {
				peer := Peer{other, first[other].counterpart(&p.Collectives[at]) + 1}
				t.Divergence.Others = append(t.Divergence.Others, peer)
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// setTarget makes a call of a profile the target.
func (t *Trial) setTarget(p *Profile, at int) {
	c := &p.Collectives[at]
	t.Target = Target{Class: MPI, Module: c.Module, Function: c.Function, Offset: c.Offset}
	t.Entry, t.Invocation, t.Divergence = Caller, at+1, &Divergence{}
}

// eligibleCalls are the calls of a rank at which a fault can be brought about, by the place
// they come from.
func eligibleCalls(f Fault, p *Profile, first []firstObject, keep func(Target) bool) [][]int {
	at := map[[2]any]int{}
	var out [][]int
	for i := range p.Collectives {
		c := &p.Collectives[i]
		if !c.Own || !f.fitsCall(p, i) || keep != nil && !keep(Target{Class: MPI, Module: c.Module, Function: c.Function}) {
			continue
		}
		if f.Ranks > 1 && (len(first) < f.Ranks ||
			slices.ContainsFunc(first, func(o firstObject) bool { return o.counterpart(c) < 0 })) {
			continue
		}
		place := [2]any{c.Module, c.Offset}
		k, known := at[place]
		if !known {
			k = len(out)
			at[place], out = k, append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}

// fitsCall reports whether a fault can be brought about at a call.
func (f Fault) fitsCall(p *Profile, i int) bool {
	c := &p.Collectives[i]
	switch f.Kind {
	case Loop, Branch:
		return len(p.decidingJumps(c, f.Kind == Loop)) > 0
	case Root:
		return c.Plain && c.Root >= 0
	case Count:
		return c.Plain && c.Count > 0
	case Type:
		return c.Plain && c.Type > 0 // another one was used before
	case Exchange:
		return i+1 < len(p.Collectives) && c.canSwapWith(&p.Collectives[i+1])
	case Leave:
		return c.Plain && mpiFunction(c.Function).CollectiveOn() == mpi.Comm
	}
	return c.Plain
}

// canSwapWith reports whether two calls, one after the other, can be exchanged: a function
// makes both, and they differ.
func (c *Collective) canSwapWith(d *Collective) bool {
	const frame = 256 // what a function pushes for arguments is less
	apart := max(c.Stack, d.Stack) - min(c.Stack, d.Stack)
	alike := c.Function == d.Function && c.Object == d.Object && c.Root == d.Root && c.Count == d.Count
	return c.Plain && d.Plain && d.Own && c.Within != 0 && c.Module == d.Module && c.Within == d.Within &&
		apart <= frame && c.Offset != d.Offset && !alike
}

// decidingJumps lists the jumps that decide about a call.
func (p *Profile) decidingJumps(c *Collective, loop bool) []Jump {
	return slices.DeleteFunc(slices.Clone(p.Jumps), func(j Jump) bool {
		return j.Loop != loop || j.Call.Module != c.Module || j.Call.Offset != c.Offset
	})
}

// firstObject is the calls of a rank on the communicator that it used first, which is
// that of all ranks where all make the same calls on it.
type firstObject struct {
	*Profile
	calls []int // by number
}

func firstObjects(profiles []*Profile) []firstObject {
	var out []firstObject
	for _, p := range profiles {
		o := firstObject{Profile: p}
		for i := range p.Collectives {
			if p.Collectives[i].Object == 0 {
				o.calls = append(o.calls, i)
			}
		}
		out = append(out, o)
	}
	return out
}

// counterpart finds the call that the rank makes together with that of another one;
// -1 none.
func (o firstObject) counterpart(c *Collective) int {
	if c.Object != 0 || c.Number > len(o.calls) || !o.Collectives[o.calls[c.Number-1]].sameSite(c) {
		return -1
	}
	return o.calls[c.Number-1]
}

// drawPool is what can be drawn of a profile, by class.
func drawPool(p *Profile, keep func(Target) bool) map[Class][]Entered {
	out := map[Class][]Entered{}
	for _, f := range p.Functions {
		if f.Running > 0 && (keep == nil || keep(f.Target)) {
			out[f.Class] = append(out[f.Class], f)
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, comparePlaces)
	}
	return out
}

func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }
