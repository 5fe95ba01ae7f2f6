// Package slicing answers why a rank got to where it is: which source lines
// could have brought it there (PDI §2.2, §4.4, steps 5 and 6).
//
// The input is a Criterion, the stack of a rank that a run directory recorded.
// The output is a Slice, source lines with their distance from the criterion and
// the kind of dependence that led to each. A Slicer is a backend that makes one
// from the other: slicing/native in pure Go, and slicing/dyninst, which asks a
// helper process that is linked with Dyninst; slicing/python puts the lines of programs in
// Python behind theirs. Only functions on the observed
// stack are ascended to. Union adds up the slices of the ranks that wait, in the
// order of the progress dependence graph.
package slicing
