// Package recorded is what the scaling analysis reads of a run: for each rank the
// control features (rank, ranks in the run, numeric arguments) and the bytes that it
// sent from each call site, and whether it crashed.
//
// Input is a rank of a run, output a [Table], which is a monoid: see [Merge].
package recorded
