// Package isolated makes slices in a child process. Code and debug information that a slicer reads
// are data of whoever built the program: they may exhaust a stack, memory or time, from which a Go
// program cannot recover. A child that ends this way, or is ended when its time is over, costs one
// slice or one branch, and its error says why.
//
// [New] is the Slicer of the parent. The child calls [Serve] with the Slicer that does the work.
package isolated
