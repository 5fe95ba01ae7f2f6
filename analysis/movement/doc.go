// Package movement finds broken data movements. It answers: which way do data
// usually take through buffers and messages, which few of them took nearly that
// way but not quite, and which rank moves its data unlike its peers (paper
// DMTracker §3 and §4).
//
// Input is one stream of events per rank: memory allocated and freed, bytes
// copied, bytes sent and received over a connection or by an MPI message. A
// Parser turns the stream of one rank into a Table (§4.2): operations, and the
// legs of chains that lie within the rank. Tables of several ranks merge;
// Resolve matches sends with receives and gives the chains of the whole job as
// a Trace. Analyse extracts the invariants (§4.3) and checks them (§4.4, §4.5).
//
// Output is a Result: the frequent chains, the rare chains that are like one of
// them, and the ranks whose distribution of chains is an outlier.
//
// Table and Profile are the values that a reduction carries: each has Encode,
// Decode and Merge, and the merge is associative and commutative in what Encode
// makes of it. Where the paper leaves something open, docs/movement.md says
// what was chosen and where that fails.
package movement
