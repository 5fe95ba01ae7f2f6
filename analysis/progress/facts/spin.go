package facts

import (
	"laggard/model"
	"laggard/model/mpi"
)

// A thread that has polled unsuccessfully this often, at this very call site, spins.
const spinPolls = 16

// A computation that two captures in a row show without a call in between is
// not a loop around a test.
const stuckCaptures = 2

// isSpinning reports whether the thread waits in a loop around a test or a probe
// (MPI_Test, MPI_Iprobe …), which counts as waiting and not as progress
// (PDI §2.1). Inside the call that is plain. Between two calls the captured
// stacks decide: a call after the last capture, which is taken when a rank is
// quiet, shows a loop; the same stack again and again without a call shows a
// computation that hangs after one poll. Without either, many empty polls at
// this site stand for a loop.
func isSpinning(t *model.Thread) bool {
	if t.Op.Kind != model.Poll {
		return false
	}
	if t.Op.InMPI {
		still, _ := compareCaptures(t)
		return !still // else it hangs in a call that should return at once
	}
	if c := t.Captured; c != nil && !c.InMPI {
		switch {
		case c.Calls < t.Calls && c.Why == model.CaptureQuiet:
			return true
		case c.Calls == t.Calls && c.Same >= stuckCaptures:
			return false
		}
	}
	return t.Polls >= spinPolls && visitCount(t) >= spinPolls
}

// testsNothing reports whether the thread tests again and again for any of some requests of which none is active: MPI says MPI_UNDEFINED
// for ever (MPI-3.1 §3.7.5).
func testsNothing(t *model.Thread) bool {
	s := stateOf(t, t.Op.State)
	return s != nil && mpi.FindFunction(s.Call).InClass(mpi.ClassTestany, mpi.ClassTestsome) && t.Op.Kind == model.Local &&
		t.Polls >= spinPolls && visitCount(t) >= spinPolls
}

// pollsMemory reports whether the thread goes round a loop whose only call is MPI_Win_sync: it looks for what another rank writes to shared
// memory. Without a call since its last capture it computes.
func pollsMemory(t *model.Thread) bool {
	s := stateOf(t, t.Op.State)
	if s == nil || t.Op.Kind != model.Local || !mpi.FunctionOf(s.Call).IsFormOf("MPI_Win_sync") {
		return false
	}
	if c := t.Captured; c != nil && c.Calls == t.Calls && c.Same >= stuckCaptures {
		return false
	}
	for _, e := range t.Model.Edges {
		if e.From == t.Op.State && e.To == t.Op.State && e.Count >= spinPolls {
			return true
		}
	}
	return false
}

// visitCount returns how often the current state was entered.
func visitCount(t *model.Thread) uint64 {
	if s := t.Op.State; s >= 0 && s < len(t.Model.Visits) {
		return t.Model.Visits[s]
	}
	return 0
}
