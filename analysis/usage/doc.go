// Package usage finds the wrong uses of MPI in a run. It answers: which calls
// break the rules of the MPI standard or work only by luck, at which ranks, and
// what to change (paper Umpire, §4).
//
// Input is a [Question] about a run directory, output of [Run] a [Result] at
// analysis rank 0. Each analysis rank goes through its share of the run rank by rank: package
// recorded decodes the calls of a rank, package replay follows them and finds
// what the rank shows by itself, and package between keeps a digest of what the
// other ranks must know. The findings and the digests merge over the tree, and
// analysis rank 0 judges what only several ranks show together. Package finding
// has the classes of findings, package typemap what datatypes hold in memory.
//
// docs/manual/usage.md lists the classes and says what each cannot see.
package usage
