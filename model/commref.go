package model

// CommRef says which communicator, window or file something is about, as all ranks know it together.
type CommRef struct {
	ID      uint64 // 0: none
	Kind    CommKind
	Known   bool // some rank recorded it
	Several bool // it is one of several MPI_COMM_WORLD, of processes that were spawned
	Members RankSet
}

// MakerOf is the call by which the rank made a communicator, window or file of its own; nil: it is not known.
func (r *Rank) MakerOf(c *Comm) *State {
	if c.Thread < 0 || c.Thread >= len(r.Threads) {
		return nil
	}
	states := r.Threads[c.Thread].Model.States
	if c.State < 0 || c.State >= len(states) {
		return nil
	}
	return states[c.State]
}
