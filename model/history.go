package model

import (
	"cmp"
	"slices"
)

// History is what collectives were begun on a communicator, window or file: the
// latest ones, and checkpoints of all before them. Two members whose hashes
// agree at a number began the same collectives up to there.
type History struct {
	Latest []Begun // without a gap, by rising number
	Marks  []Mark  // by rising number
}

// Begun is a collective that was begun.
type Begun struct {
	Mark
	Order  uint32 // among all collectives of the process, from 1; its low bits
	Thread int    // index into Rank.Threads; -1 unknown
	State  int    // index into its Model.States: the call; -1 unknown
	Root   int    // rank in the communicator; None where there is none, or members may differ in it
	Op     string // of a reduction, such as "MPI_SUM"; "" none
	Bytes  int64  // of one block, which all members must give alike; -1: nothing must
}

// Mark is the state of the hashes after so many collectives.
type Mark struct {
	Number uint64 // of collectives on the communicator
	Calls  uint64 // hash of function, root, operation and bytes of all of them
	Sites  uint64 // hash of the call stacks of all of them
}

// OwnOp is the Op of an operation that the program made.
const OwnOp = "user-defined"

// HashesAt returns the hashes after n collectives; ok is false where they are not known.
func (h *History) HashesAt(n uint64) (m Mark, ok bool) {
	i, found := slices.BinarySearchFunc(h.Latest, n, func(b Begun, n uint64) int { return cmp.Compare(b.Number, n) })
	if found {
		return h.Latest[i].Mark, true
	}
	i, found = slices.BinarySearchFunc(h.Marks, n, func(m Mark, n uint64) int { return cmp.Compare(m.Number, n) })
	if found {
		return h.Marks[i], true
	}
	return Mark{}, n == 0
}
