// Package place finds the call sites of one build of a program in another build of it, whose addresses and lines have moved.
//
// A [Site] is an MPI call with the chain of functions that leads to it. Chains are matched from the outermost function
// inwards: within one function, calls of the same callee correspond in the order of their lines, those at equal distance
// first. In code with the same build-id a line corresponds to itself alone. Chains that differ only by functions which a
// compiler left out or inlined (a call in tail position has no frame) are matched last.
package place
