// Package usage answers where a program uses MPI wrongly: the checks of Umpire
// (Vetter and de Supinski, SC 2000), and those that need what Umpire did not
// record. Input is, for each rank, the calls it made with their arguments and
// results (Trace); output is findings that name the ranks and the call sites of
// both sides, what the standard requires, and what to change.
//
// The way of the data: a Trace of each rank is replayed by itself, which follows
// requests, datatypes, communicators and the other objects and finds what one
// rank alone shows; it leaves the operations that other ranks take part in. These
// are matched across ranks: messages, collectives, one-sided access, and who
// waits for whom.
package usage
