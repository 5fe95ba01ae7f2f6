// Package slice answers which source lines could have brought the least-progressed
// ranks of a run to where they are, and the ranks that wait for them (PDI §2.2,
// §4.4). The input is a [Question]; [Run] diagnoses the run ([progress.Run]) and
// starts a backward slice at each group of ranks, in the order of the progress
// dependence graph. A backend of package slicing makes the slices.
package slice
