// Package reduce merges what the analysis ranks know. It answers one question:
// what is the merge, over all ranks, of a value that each rank holds a part of.
//
// Input is a Comm, which moves bytes between ranks, and a Monoid, which says
// how two values merge and how one is written as bytes. Output is the merged
// value, at rank 0 (Reduce) or everywhere (AllReduce). Broadcast hands a value
// of rank 0 to all. The tree is binomial: ⌈log2 P⌉ rounds for P ranks, with
// payloads that may differ in size from rank to rank. The paper on progress
// dependence (PDI, §2.2 steps 2 and 3, and §4.2) gathers the states of all
// ranks and then their graphs in this way.
//
// # Failures
//
// A rank that fails must neither hang the others nor let them go on with half
// a result. Every message carries a status beside its payload, a failed rank
// still takes part in every round, and every operation ends with a verdict
// that all ranks hear. So one law holds: an operation returns nil on all ranks
// or an error on all ranks, and the error is a *RankError that names the rank
// where it began. A caller may therefore return on the error without leaving
// anyone waiting, and hands the error of its own step to the next operation
// instead of skipping that operation. The law cannot cover a rank that leaves
// altogether; the ranks that needed it then get an error, the others may not.
//
// # Transports
//
// Run gives goroutine ranks in this process. With the build tag mpi, Start
// gives the ranks of an MPI job. Package reducetest holds the suite that every
// transport passes, and the laws that every Monoid obeys.
package reduce
