// Package attach makes the record of an unrecorded job, from outside: which
// ranks run on this node ([Find]), where each thread is and whether it stays there, by
// several looks ([TakeSnapshot]), and what the MPI call that a thread stands in was given. The
// record is as if recording had begun when the looks did: a call that a thread stood
// in all the time is the first on its channel, or on its communicator.
//
// Reading processes is the work of intake/stopped and intake/unwind, names are those of
// symbol, and the places of calls those of intake/backtrace. docs/manual/attach.md says what
// can be told in this way, and what not.
package attach
