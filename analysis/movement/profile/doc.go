// Package profile answers what known good runs have: which types of chains, how
// often, and how the chains of a rank are distributed over the types (paper
// DMTracker §3.1, §5.4).
//
// Input are the traces of the runs ([New]), output is one [Profile]. Package
// invariant takes the frequent chains from it, package outlier the distributions
// that a rank may have.
package profile
