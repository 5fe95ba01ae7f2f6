package replay

import (
	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// collectives numbers those that the rank begins, on each communicator, window and file.
type collectives struct {
	t          *recorded.Trace
	operations *operations
	begun      map[int]uint64 // by communicator: how many
}

func newCollectives(t *recorded.Trace, o *operations) *collectives {
	return &collectives{t: t, operations: o, begun: map[int]uint64{}}
}

// beginCall adds the collective that a call begins.
func (c *collectives) beginCall(a args) {
	switch a.c.Func.Class {
	case mpi.ClassIcoll, mpi.ClassCollInit, mpi.ClassNewcommNb, mpi.ClassFileIcoll:
		c.addCollective(a, false)
	case mpi.ClassColl, mpi.ClassNewcomm, mpi.ClassNewcommDynamic, mpi.ClassNewcommSpawn, mpi.ClassNewcommLeaders, mpi.ClassCommFree,
		mpi.ClassNewwin, mpi.ClassNewfile, mpi.ClassFileColl, mpi.ClassFileFree, mpi.ClassWinColl, mpi.ClassWinFree:
		c.addCollective(a, true)
	case mpi.ClassNewcommGroups:
		c.addGroupCreation(a)
	case mpi.ClassFinalize:
		c.addFinalize(a)
	}
}

// nextNumber returns the number of the next collective on a communicator.
func (c *collectives) nextNumber(comm int) uint64 {
	c.begun[comm]++
	return c.begun[comm]
}

// addCollective is for the collectives of all members.
func (c *collectives) addCollective(a args, blocking bool) {
	if comm := a.commIndex(); comm >= 0 {
		c.operations.add(a, Operation{Kind: Collective, Comm: int32(comm), Tag: model.None,
			Peer: a.rankOrTag("root"), Number: c.nextNumber(comm), Blocking: blocking})
	}
}

// addRefused adds the collective of a call that MPI refused: where all members are refused alike it keeps their numbers
// in step.
func (c *collectives) addRefused(a args) {
	c.beginCall(a)
	c.operations.refuse(a)
}

// addGroupCreation is for communicators that only the members of a group make.
func (c *collectives) addGroupCreation(a args) {
	if comm := a.commOfGroups(); comm >= 0 {
		c.operations.add(a,
			Operation{Kind: Collective, Comm: int32(comm), Peer: model.None, Tag: model.None, Blocking: true})
	}
}

// commOfGroups returns the communicator that a call made of groups, an index into Trace.Comms; negative: none.
func (a args) commOfGroups() int {
	comm, ok := a.result("newcomm")
	if !ok {
		comm, ok = a.result("newintercomm")
	}
	if !ok {
		return recorded.Invalid
	}
	return int(comm)
}

// addFinalize is for MPI_Finalize, a collective over MPI_COMM_WORLD (MPI-3.1 §8.7).
func (c *collectives) addFinalize(a args) {
	for i, comm := range c.t.Comms {
		if comm != nil && comm.Kind == model.World {
			c.operations.add(a, Operation{Kind: Collective, Comm: int32(i), Peer: model.None, Tag: model.None, Blocking: true,
				Number: c.nextNumber(i)})
			return
		}
	}
}

// isCollective reports whether the calls of a class are collectives of all members.
func isCollective(class mpi.Class) bool {
	switch class {
	case mpi.ClassColl, mpi.ClassIcoll, mpi.ClassCollInit, mpi.ClassNewcomm, mpi.ClassNewcommNb,
		mpi.ClassCommFree, mpi.ClassNewwin, mpi.ClassNewfile, mpi.ClassWinColl, mpi.ClassWinFree:
		return true
	}
	return false
}
