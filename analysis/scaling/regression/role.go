package regression

import (
	"math"
	"math/bits"
	"strconv"
)

// Role is a way to sort the ranks of a run into classes whose volumes scale
// alike, because they do the same part in a pattern of communication.
type Role struct {
	name string
	// classOf gives the class of a rank, and how many times the volume of its class
	// it sends, such as the number of its children in a tree; at least 1.
	classOf func(rank, ranks int) (class string, times float64)
}

// roles lists the ways from the simplest to the most particular. The name
// identifies a role in model files.
var roles = []Role{
	{"all", func(int, int) (string, float64) { return "", 1 }},
	{"root", func(rank, _ int) (string, float64) { return ifElse(rank == 0, "root", "other"), 1 }},
	{"last", func(rank, ranks int) (string, float64) { return ifElse(rank == ranks-1, "last", "other"), 1 }},
	{"ends", chainEnds},
	{"parity", func(rank, _ int) (string, float64) { return ifElse(rank%2 == 0, "even", "odd"), 1 }},
	{"lower half", func(rank, ranks int) (string, float64) { return ifElse(rank < ranks/2, "lower", "upper"), 1 }},
	{"binomial tree", func(rank, ranks int) (string, float64) { return treeRole(lowChildren(rank, ranks)) }},
	{"binomial tree, high bits",
		func(rank, ranks int) (string, float64) { return treeRole(highChildren(rank, ranks)) }},
	{"binary tree", func(rank, ranks int) (string, float64) {
		return treeRole(max(0, min(2, ranks-1-2*rank)))
	}},
	{"folded to a power of two", foldedRole},
	{"2-d grid", func(rank, ranks int) (string, float64) { return strconv.Itoa(gridNeighbours(rank, ranks, 2)), 1 }},
	{"3-d grid", func(rank, ranks int) (string, float64) { return strconv.Itoa(gridNeighbours(rank, ranks, 3)), 1 }},
	{"power of two", func(_, ranks int) (string, float64) {
		return ifElse(ranks&(ranks-1) == 0, "power of two", "no power of two"), 1
	}},
}

func ifElse(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// chainEnds: the first and the last of a chain have one neighbour.
func chainEnds(rank, ranks int) (string, float64) {
	switch rank {
	case 0:
		return "first", 1
	case ranks - 1:
		return "last", 1
	}
	return "inner", 1
}

func treeRole(n int) (string, float64) {
	if n == 0 {
		return "leaf", 1
	}
	return "inner", float64(n)
}

// lowChildren counts the children of a rank in the binomial tree where a
// rank's parent is the rank without its lowest one bit.
func lowChildren(rank, ranks int) int {
	n := 0
	for bit := 1; rank&bit == 0 && rank+bit < ranks; bit <<= 1 {
		n++
	}
	return n
}

// highChildren is the same where it is without its highest.
func highChildren(rank, ranks int) int {
	n := 0
	for bit := 1 << bits.Len(uint(rank)); rank+bit < ranks; bit <<= 1 {
		n++
	}
	return n
}

// foldedRole: algorithms for powers of two let the first ranks stand in for those
// beyond the largest power.
func foldedRole(rank, ranks int) (string, float64) {
	extra := ranks - 1<<(bits.Len(uint(ranks))-1)
	switch {
	case rank >= 2*extra:
		return "alone", 1
	case rank%2 == 0:
		return "even", 1
	}
	return "odd", 1
}

// gridNeighbours counts those of a rank in a grid without wrap-around, row-major,
// with sides as equal as the number of ranks allows.
func gridNeighbours(rank, ranks, dimensions int) int {
	n := 0
	for _, side := range gridSides(ranks, dimensions) {
		at := rank % side
		rank /= side
		if at > 0 {
			n++
		}
		if at < side-1 {
			n++
		}
	}
	return n
}

// gridSides are the lengths of the most compact grid, the last dimension of
// MPI_Dims_create first.
func gridSides(ranks, dimensions int) []int {
	if dimensions == 1 {
		return []int{ranks}
	}
	shortest := int(math.Floor(math.Pow(float64(ranks), 1/float64(dimensions)) + 1e-9))
	for ; ranks%shortest != 0; shortest-- {
	}
	return append([]int{shortest}, gridSides(ranks/shortest, dimensions-1)...)
}
