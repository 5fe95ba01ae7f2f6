package model

// CommRef says which communicator, window or file something is about, as all ranks know it together.
type CommRef struct {
	ID      uint64 // 0: none
	Kind    CommKind
	Known   bool // some rank recorded it
	Several bool // it is one of several MPI_COMM_WORLD, of processes that were spawned
	Members RankSet
}
