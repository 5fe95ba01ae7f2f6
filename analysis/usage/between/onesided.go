package between

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/typemap"
)

// lockKey is a lock of a rank in a window.
type lockKey struct {
	window uint64
	target int
}

// touch is an access with the bytes that it uses, counted from the base of the
// target's memory.
type touch struct {
	*access
	rank       int32 // position of the digest that makes it
	layout     *typemap.Layout
	at         int64 // where the layout begins
	lo, hi     int64
	from, upTo int32 // the synchronisations of all members between which it lies
}

// pair is two accesses to the same bytes that conflict unless something orders them.
type pair struct{ a, b *touch }

// The accumulations that may leave their target as it is.
const (
	noOp           = "MPI_NO_OP"
	compareAndSwap = "Compare_and_swap"
)

const (
	// maxPairs bounds the pairs of one target and phase that are compared, maxAllPairs those of all, and
	// maxAlike those of the same two places that are examined further.
	maxPairs    = 1 << 20
	maxAllPairs = 1 << 26
	maxAlike    = 64
)

// checkWindows reports conflicting accesses to the memory of a window that no
// synchronisation orders (§11.7).
func (j *job) checkWindows() {
	j.checkStray()
	targets, order := j.touchesByTarget()
	j.checkFencedLocks(targets)
	for _, key := range order {
		for _, t := range targets[key] {
			j.checkRange(t)
			j.checkNoPut(t)
		}
	}
	search := conflictSearch{job: j, alike: map[[2]int32]int{}, budget: maxAllPairs}
	var pairs []pair
	for _, key := range order {
		pairs = append(pairs, search.findConflicts(targets[key])...)
	}
	if len(pairs) == 0 {
		return
	}
	signals := j.newSignals(targets)
	pairs = slices.DeleteFunc(pairs, func(p pair) bool {
		return p.a.rank != p.b.rank && (signals.mayTell(p.a, p.b) || signals.mayTell(p.b, p.a))
	})
	asked := make([]stepPair, len(pairs))
	for i, p := range pairs {
		asked[i] = stepPair{ref{p.a.rank, p.a.step}, ref{p.b.rank, p.b.step}}
	}
	j.withClocks(asked, func(i int, c *clocks) {
		if p := pairs[i]; p.a.rank == p.b.rank || !c.mayPrecede(p.a, p.b) && !c.mayPrecede(p.b, p.a) {
			j.addConflict(p)
		}
	})
}

// checkStray reports accesses to ranks that the group of MPI_Win_start does not
// have (§11.5.2).
func (j *job) checkStray() {
	for rank, d := range j.digests {
		for i := range d.windows.accesses {
			a := &d.windows.accesses[i]
			if !a.stray || !d.complete {
				continue
			}
			target := d.comms[a.comm].WorldRank(a.target)
			f := finding.New("one_sided", fmt.Sprintf(
				"rank %d accesses rank %d with %s in an epoch of MPI_Win_start whose group does not have rank %d",
				d.Rank, target, d.step(a.step).fn().Name, target), j.placeOf(int32(rank), a.step, "access"))
			f.Ranks.Add(target)
			f.Standard = "MPI-3.1 §11.5.2"
			f.Change = "give MPI_Win_start a group with every rank that is accessed, " +
				"and let each of them call MPI_Win_post"
			j.found.Add(f)
		}
	}
}

// checkRange reports an access to bytes that the target has not in the window (§11.2.1).
func (j *job) checkRange(t *touch) {
	d := j.digests[t.rank]
	if t.kind == load || t.kind == store {
		return // where in the own memory a window lies is no matter of these
	}
	owner := j.byRank[d.comms[t.comm].WorldRank(t.target)]
	r := j.regions[owner][d.comms[t.comm].ID]
	if r.dynamic || r.size < 0 || t.lo >= 0 && t.hi <= r.size {
		return
	}
	target := j.digests[owner].Rank
	f := finding.New("one_sided", fmt.Sprintf("%s of rank %d uses bytes %d to %d of rank %d in %s, which has %d there",
		d.step(t.step).fn().Name, d.Rank, t.lo, t.hi-1, target, commName(d.comms[t.comm]), r.size),
		j.placeOf(t.rank, t.step, "access"), j.placeOf(owner, r.step, "window"))
	f.Standard = "MPI-3.1 §11.2.1"
	f.Change = "keep target_disp (in units of the target's disp_unit), target_count and target_datatype within the " +
		"memory that the target gave the window"
	j.found.Add(f)
}

// checkNoPut reports an access that writes to a rank which had said with
// MPI_MODE_NOPUT that nobody would until its next fence (§11.5.5).
func (j *job) checkNoPut(t *touch) {
	d := j.digests[t.rank]
	if t.fence == 0 || !t.writesTarget() || !j.allRecorded(d.comms[t.comm].Members) {
		return
	}
	owner := j.byRank[d.comms[t.comm].WorldRank(t.target)]
	target := j.digests[owner]
	for _, step := range j.noPut[fenceKey{owner, d.comms[t.comm].ID, t.fence}] {
		out := finding.New("one_sided", fmt.Sprintf("%s of rank %d writes to rank %d in %s, which excluded such "+
			"writes with MPI_MODE_NOPUT of MPI_Win_fence", d.step(t.step).fn().Name, d.Rank, target.Rank,
			commName(d.comms[t.comm])), j.placeOf(t.rank, t.step, "access"), j.placeOf(owner, step, "fence"))
		out.Standard = "MPI-3.1 §11.5.5"
		out.Change = "omit MPI_MODE_NOPUT from the fence before the access, on the target rank"
		j.found.Add(out)
	}
}

// fenceKey is a fence of a rank.
type fenceKey struct {
	rank   int32 // position of the digest
	window uint64
	number uint64
}

// noPutFences lists the steps of the fences by which ranks said that nobody puts to them.
func (j *job) noPutFences() map[fenceKey][]int32 {
	out := map[fenceKey][]int32{}
	for rank, d := range j.digests {
		for _, f := range d.windows.noPutFences {
			key := fenceKey{int32(rank), d.comms[f.comm].ID, f.number}
			out[key] = append(out[key], f.step)
		}
	}
	return out
}

// checkFencedLocks reports locks of memory that the epoch of a fence exposes: a window must not be locked and exposed at once
// (§11.5.3). An epoch exposes the memory of a rank if another accesses it between the fences; what one rank does
// by itself is for its own replay.
func (j *job) checkFencedLocks(targets map[lockKey][]*touch) {
	type epoch struct {
		lockKey
		fence uint64
	}
	byEpoch := map[epoch][]*touch{}
	for key, list := range targets {
		for _, t := range list {
			if at := (epoch{key, t.fence}); t.fence > 0 {
				byEpoch[at] = append(byEpoch[at], t)
			}
		}
	}
	for rank, d := range j.digests {
		for _, l := range d.windows.fencedLocks {
			window := d.comms[l.comm]
			for target := range window.Members {
				if l.target >= 0 && l.target != target {
					continue
				}
				in := byEpoch[epoch{lockKey{window.ID, target}, l.fence}]
				i := slices.IndexFunc(in, func(t *touch) bool { return int(t.rank) != rank })
				if i >= 0 && j.allRecorded(window.Members) {
					j.addFencedLock(int32(rank), l, in[i])
				}
			}
		}
	}
}

func (j *job) addFencedLock(rank int32, l fencedLock, t *touch) {
	d, other := j.digests[rank], j.digests[t.rank]
	target := other.comms[t.comm].WorldRank(t.target)
	f := finding.New("one_sided", fmt.Sprintf("%s of rank %d locks rank %d in %s, which the epoch of MPI_Win_fence "+
		"exposes to %s of rank %d", d.step(l.step).fn().Name, d.Rank, target, commName(d.comms[l.comm]),
		other.step(t.step).fn().Name, other.Rank), j.placeOf(rank, l.step, "lock"), j.placeOf(t.rank, t.step, "access"))
	f.Ranks.Add(target)
	f.Standard = "MPI-3.1 §11.5.3"
	f.Change = "separate the access and the lock by a fence of all ranks"
	j.found.Add(f)
}

// writesTarget reports whether an access by another rank surely writes to its target.
func (t *touch) writesTarget() bool {
	return t.kind == put || t.kind == accumulate && t.op != noOp && t.op != compareAndSwap
}

// mayPrecede reports whether an access was complete before another began, or whether that
// is not known.
func (c *clocks) mayPrecede(a, b *touch) bool {
	before, known := c.happenedBefore(ref{a.rank, a.done}, ref{b.rank, b.step})
	return !known || before && a.done >= 0
}

// touchesByTarget groups the accesses of all ranks by the memory that they use.
func (j *job) touchesByTarget() (map[lockKey][]*touch, []lockKey) {
	out := map[lockKey][]*touch{}
	var order []lockKey
	for rank, d := range j.digests {
		phases := map[int32][]int32{}
		for i := range d.windows.accesses {
			a := &d.windows.accesses[i]
			t := j.newTouch(int32(rank), a)
			if t == nil {
				continue
			}
			if _, ok := phases[a.comm]; !ok {
				phases[a.comm] = j.syncPhases(int32(rank), d, a.comm)
			}
			t.from = phasesBefore(phases[a.comm], a.step)
			t.upTo = t.from
			if a.done >= 0 {
				t.upTo = phasesBefore(phases[a.comm], a.done)
			} else {
				t.upTo = int32(len(phases[a.comm]))
			}
			key := lockKey{d.comms[a.comm].ID, a.target}
			if out[key] == nil {
				order = append(order, key)
			}
			out[key] = append(out[key], t)
		}
	}
	return out, order
}

// newTouch works out the bytes of an access; nil if they are not known.
func (j *job) newTouch(rank int32, a *access) *touch {
	d := j.digests[rank]
	t := &touch{access: a, rank: rank, layout: j.layouts[rank][a.buffer], at: a.disp}
	owner, ok := j.byRank[d.comms[a.comm].WorldRank(a.target)]
	if !ok || !t.layout.IsKnown() || t.layout.Bytes == 0 {
		return nil
	}
	r := j.regions[owner][d.comms[a.comm].ID]
	switch {
	case r == nil:
		return nil
	case r.dynamic:
	case a.kind == load || a.kind == store:
		t.at -= r.base
	default:
		t.at *= r.unit
	}
	t.lo, t.hi = t.at+t.layout.Lo, t.at+t.layout.Hi
	return t
}

// regionsOf returns the memory of a rank in each window, by the window's identity.
func regionsOf(d *Digest) map[uint64]*region {
	out := map[uint64]*region{}
	for i := range d.windows.memory {
		if id := d.comms[d.windows.memory[i].comm].ID; out[id] == nil {
			out[id] = &d.windows.memory[i]
		}
	}
	return out
}

// syncPhases are the steps of a rank, while a window is there, at which all its members synchronise: collectives on it, or
// on a communicator that has all its members.
func (j *job) syncPhases(rank int32, d *Digest, win int32) []int32 {
	entries, first := d.entries, 0
	if r := j.regions[rank][d.comms[win].ID]; r != nil {
		first = sort.Search(len(entries), func(i int) bool { return entries[i].step >= r.step })
		if r.freed >= 0 {
			entries = entries[:sort.Search(len(entries), func(i int) bool { return entries[i].step > r.freed })]
		}
	}
	var out []int32
	whole := map[int32]bool{win: true} // by communicator: has it all members
	for i := first; i < len(entries); i++ {
		e := &entries[i]
		if e.done != e.step || e.made != e.step || j.eventOf[rank][i] < 0 {
			continue
		}
		all, known := whole[e.comm]
		if !known {
			all = containsAll(d.comms[e.comm].Members, d.comms[win].Members)
			whole[e.comm] = all
		}
		if all {
			out = append(out, e.step)
		}
	}
	slices.Sort(out)
	return out
}

func containsAll(all, some []int) bool {
	if len(all) < len(some) || len(some) == 0 {
		return false
	}
	if &all[0] == &some[0] {
		return true
	}
	in := make(map[int]bool, len(all))
	for _, r := range all {
		in[r] = true
	}
	return !slices.ContainsFunc(some, func(r int) bool { return !in[r] })
}

// phasesBefore counts the phases that begin before a step.
func phasesBefore(phases []int32, step int32) int32 {
	n, _ := slices.BinarySearch(phases, step)
	return int32(n)
}

// conflictSearch finds pairs of accesses that may conflict.
type conflictSearch struct {
	*job
	alike  map[[2]int32]int // by two places in the program: pairs that were admitted
	budget int              // pairs that may still be compared
}

// findConflicts returns the pairs of accesses to one rank's memory in one phase that
// share bytes and must not. It sweeps over the bytes, phase by phase.
func (s *conflictSearch) findConflicts(touches []*touch) []pair {
	phases := map[int32][]*touch{}
	var order []int32
	for _, t := range touches {
		for p := t.from; p <= min(t.upTo, t.from+maxAlike); p++ {
			if phases[p] == nil {
				order = append(order, p)
			}
			phases[p] = append(phases[p], t)
		}
	}
	slices.Sort(order)
	var out []pair
	seen := map[pair]bool{}
	for _, p := range order {
		if s.stop() {
			break
		}
		in := phases[p]
		slices.SortStableFunc(in, func(a, b *touch) int { return cmp.Compare(a.lo, b.lo) })
		budget := min(maxPairs, s.budget)
		s.budget -= budget
		var active []*touch
		for _, t := range in {
			if budget < 0 {
				break
			}
			active = slices.DeleteFunc(active, func(a *touch) bool { return a.hi <= t.lo })
			for _, a := range active {
				if budget--; budget < 0 {
					break
				}
				if x := orderedPair(a, t); isConflict(a, t) && !seen[x] && s.admitPair(x) &&
					!a.layout.Overlap(a.at, t.layout, t.at).Empty() {
					seen[x] = true
					out = append(out, x)
				}
			}
			active = append(active, t)
		}
		s.budget += max(budget, 0)
	}
	return out
}

func orderedPair(a, b *touch) pair {
	if b.rank < a.rank || b.rank == a.rank && b.step < a.step {
		return pair{b, a}
	}
	return pair{a, b}
}

// admitPair reports whether not too many pairs of the same two places were seen before.
func (s *conflictSearch) admitPair(p pair) bool {
	key := [2]int32{s.placeNumber(p.a), s.placeNumber(p.b)}
	s.alike[key]++
	return s.alike[key] <= maxAlike
}

// placeNumber is the same for the same place in the program at every rank.
func (j *job) placeNumber(t *touch) int32 {
	d := j.digests[t.rank]
	site := ref{t.rank, d.step(t.step).site}
	if known, ok := j.sitePlaces[site]; ok {
		return known
	}
	var text []byte
	for _, f := range d.sites[site.index].Stack {
		if f.Module != nil {
			text = append(text, f.Module.BuildID+f.Module.Path...)
		}
		text = fmt.Appendf(text, "+%x;", f.Offset)
	}
	number := numberOf(j.places, string(text), func() {})
	j.sitePlaces[site] = number
	return number
}

// isConflict reports whether two accesses to the same bytes conflict if nothing orders
// them; two that only read do not. Accumulations with the same operation do not, nor do those of one rank,
// which MPI keeps in order; locks of which one is exclusive keep ranks apart.
func isConflict(a, b *touch) bool {
	local := func(t *touch) bool { return t.kind == load || t.kind == store }
	switch {
	case a.readsOnly() && b.readsOnly(), local(a) && local(b):
		return false
	case a.rank == b.rank && (local(a) || local(b)):
		return false // what one rank does is for its own replay
	case a.rank == b.rank:
		return !(a.kind == accumulate && b.kind == accumulate) && !endsBefore(a, b) && !endsBefore(b, a)
	case (a.locked || b.locked) && !local(a) && !local(b):
		return false
	case a.kind == accumulate && b.kind == accumulate:
		return !mayInterleave(a, b)
	}
	return true
}

func endsBefore(a, b *touch) bool { return a.done >= 0 && a.done <= b.step }

// mayInterleave: MPI makes accumulations atomic that have the same operation, or none, and
// the same basic type (§11.7.1).
func mayInterleave(a, b *touch) bool {
	free := func(t *touch) bool { return t.op == noOp || t.op == compareAndSwap }
	return (a.op == b.op || free(a) || free(b)) && a.layout.OnlyType() == b.layout.OnlyType()
}

func (j *job) addConflict(p pair) {
	a, b := j.digests[p.a.rank], j.digests[p.b.rank]
	target := a.comms[p.a.comm].WorldRank(p.a.target)
	who := fmt.Sprintf("rank %d and rank %d both use", a.Rank, b.Rank)
	if p.a.rank == p.b.rank {
		who = fmt.Sprintf("rank %d uses twice", a.Rank)
	}
	lo, hi := max(p.a.lo, p.b.lo), min(p.a.hi, p.b.hi)
	f := finding.New("one_sided",
		fmt.Sprintf("%s bytes %d to %d of rank %d in %s, with %s and %s, and no synchronisation orders them",
			who, lo, hi-1, target, commName(a.comms[p.a.comm]), a.step(p.a.step).fn().Name,
			b.step(p.b.step).fn().Name),
		j.placeOf(p.a.rank, p.a.step, "access"), j.placeOf(p.b.rank, p.b.step, "access"))
	f.Ranks.Add(target)
	f.Standard = "MPI-3.1 §11.7"
	f.Change = "put a synchronisation of the window between them, use MPI_Accumulate with one operation, or other bytes"
	j.found.Add(f)
}
