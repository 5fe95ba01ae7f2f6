// Package outlier answers which ranks move data differently from their peers (paper
// DMTracker §4.5).
//
// Input is a trace, and a profile of good runs if there are any. Each rank has a
// distribution of chains over the types of chains; the Manhattan distance to its
// k-th nearest rank tells how far it is from its peers. [Find] returns the
// distances of all ranks, and the ranks that are many times the average away.
package outlier
