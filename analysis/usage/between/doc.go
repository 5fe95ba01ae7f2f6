// Package between finds the wrong uses of MPI that only several ranks together
// show: messages whose two halves do not fit or never met, collectives that
// differ, ranks that wait for each other, now or as soon as MPI does not buffer
// (Umpire §4.1 and §6), and accesses to a window that conflict.
//
// Input is, of each rank, a Digest: a Digester follows the rank's own replay and
// makes it. Digests of several ranks are Evidence, which is what a reduction
// carries: it has Encode, Decode and Merge. Judge gives the findings, the same
// for the same ranks however they were merged.
//
// The work is linear in the number of operations. Its order:
//
//	match       the two halves of every message, in the order that MPI keeps (§3.5)
//	collective  the calls of all members, communicator by communicator
//	wait        who can never go on, from the calls that did not return
//	rendezvous  a replay in which no send returns before its receive has begun
//	onesided    accesses to the same bytes that nothing orders
//
// Section numbers in comments are those of MPI-3.1.
package between
