// Package chain answers by which chains of operations data move through a job
// (paper DMTracker §4.2).
//
// Input is one stream of events per rank: memory allocated and freed, bytes
// copied, bytes sent and received over a connection or by an MPI message. A
// [Parser] turns the events of one rank into a [Table]: operations, and the legs
// of chains that lie within the rank. Tables of several ranks merge ([Merge]): the
// merge is associative and commutative in what [Table.Encode] makes of it.
// [Resolve] matches sends with receives and gives the chains of the whole job as a
// [Trace].
package chain
