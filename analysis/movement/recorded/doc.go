// Package recorded turns what the recorder wrote of data movements into events
// for package movement (paper DMTracker §4.1 and the parsing of §4.2).
//
// Input is a rank of a run and its streams (model.MovementStream, docs/format.md).
// A Reader gives their moves, of all threads in one order. Of each rank first its
// Traffic is taken: which connections it has, and how much it sends to whom by
// MPI. Traffic merges over ranks, and all of it says which connections lead to
// which rank, and between which ranks no connection shows the messages, so that
// MPI has to (shared memory, transports that bypass the C library). With that,
// Reader.Feed turns the moves into events.
//
// Call sites get names that hold across ranks and runs: build-ids and offsets. A
// Book tells what stack and which file is behind a name.
package recorded
