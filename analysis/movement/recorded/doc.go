// Package recorded turns what the recorder wrote of data movements into events
// for package chain (paper DMTracker §4.1 and the parsing of §4.2).
//
// Input is a rank of a run and its streams (model.MovementStream, docs/reference/format.md).
// A [Reader] gives their moves, of all threads in one order. [Reader.Sent] first
// says which connections a rank has, and how many bytes it sends to whom by MPI.
// [Sent] merges over ranks ([MergeSent]); that of the whole run gives the [Ways]:
// which connections lead to which rank, and between which ranks no connection
// shows the messages, so that MPI has to (shared memory, transports that bypass the
// C library). With these, [Reader.Feed] turns the moves into events.
//
// Call sites get names that hold across ranks and runs ([Namer]). A [Book] tells
// what stack and which file is behind a name.
package recorded
