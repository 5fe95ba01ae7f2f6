package progress

import (
	"cmp"
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
)

// Concurrent are collective calls that several threads of a rank were in at once, on one communicator, window or file. Which of them
// comes first is up to the program, which must order them (MPI-3.1 §12.4.2): else ranks may disagree on it.
type Concurrent struct {
	On      model.CommRef
	Calls   []string // the MPI functions, in alphabetical order
	Ranks   model.RankSet
	Threads int // of one rank, at most
}

// concurrentCalls lists such calls, by communicator.
func concurrentCalls(s *evidence.Scene) (out []Concurrent) {
	at := map[uint64]int{}
	for rank, fact := range s.Facts {
		if fact == nil || len(fact.Waits) < 2 {
			continue
		}
		for comm, calls := range collectivesByComm(fact.Waits) {
			if len(calls) < 2 {
				continue
			}
			i, known := at[comm]
			if !known {
				i, at[comm] = len(out), len(out)
				out = append(out, Concurrent{On: s.Comm(comm)})
			}
			c := &out[i]
			c.Ranks.Add(rank)
			c.Threads = max(c.Threads, len(calls))
			c.Calls = append(c.Calls, calls...)
			slices.Sort(c.Calls)
			c.Calls = slices.Compact(c.Calls)
		}
	}
	slices.SortFunc(out, func(a, b Concurrent) int { return cmp.Compare(a.On.ID, b.On.ID) })
	return out
}

// AboveLevel are threads of ranks that were in MPI at once, although MPI provided a thread level that forbids it (MPI-3.1 §12.4.3).
type AboveLevel struct {
	Level   int // as in model.Rank
	Ranks   model.RankSet
	Threads int // of one rank, at most
}

// ranksAboveLevel lists such ranks, by level.
func ranksAboveLevel(s *evidence.Scene) (out []AboveLevel) {
	var levels [model.ThreadMultiple]AboveLevel
	for rank, f := range s.Facts {
		if f != nil && f.ThreadsInMPI > 0 {
			a := &levels[f.ThreadLevel]
			a.Ranks.Add(rank)
			a.Threads = max(a.Threads, f.ThreadsInMPI)
		}
	}
	for level, a := range levels {
		if a.Threads > 0 {
			a.Level = level
			out = append(out, a)
		}
	}
	return out
}

// HeldLock is a mutex that a thread has in MPI while another thread of its rank waits for it, at the same places in several ranks.
type HeldLock struct {
	Ranks model.RankSet
	facts.Held
}

// heldLocks returns these by their lowest rank.
func heldLocks(s *evidence.Scene) (out []HeldLock) {
	s.Present.Each(func(rank int) {
		held := &s.Facts[rank].Held
		if len(held.Waits) == 0 {
			return
		}
		i := slices.IndexFunc(out, func(o HeldLock) bool { return o.Equal(held) })
		if i < 0 {
			i, out = len(out), append(out, HeldLock{Held: *held})
		}
		out[i].Ranks.Add(rank)
	})
	return out
}

// preferConcurrent: where threads of a rank call collectives on one communicator at once, that ranks differ in the order of these
// says nothing of the rank that differs, nor of a branch.
func preferConcurrent(j *job, v Verdict) Verdict {
	if !v.Cause.IsDivergence() || len(v.Diverged) == 0 {
		return v
	}
	comm := v.Diverged[0].Comm
	for _, c := range concurrentCalls(j.scene) {
		if c.On.ID != comm {
			continue
		}
		v.Ranks, v.Confidence, v.Cause = c.Ranks, j.scaleByKnown(likely), CauseConcurrent
		v.Reasons = []Reason{{Kind: CallConcurrently, Ranks: c.Ranks, On: c.On}}
		v.Diverged = slices.DeleteFunc(v.Diverged, func(d divergence.Divergence) bool { return d.Comm == comm })
	}
	return v
}

// collectivesByComm are the blocking collective calls that the threads of a rank are in, by what they are called on. Those on
// MPI_COMM_SELF have no order that another rank could see.
func collectivesByComm(waits []facts.Wait) map[uint64][]string {
	out := map[uint64][]string{}
	for _, w := range waits {
		if mpi.FindFunction(w.Call).CollectiveOn() == 0 || len(w.Wants) != 1 {
			continue
		}
		if want := &w.Wants[0]; want.Kind == model.Collective && !want.Lost && !want.Self {
			out[want.Comm] = append(out[want.Comm], w.Call)
		}
	}
	return out
}
