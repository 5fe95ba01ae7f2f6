// Package replay answers where one rank by itself uses MPI wrongly: the checks of
// Umpire (Vetter and de Supinski, SC 2000) that need one rank only, and those that
// need what Umpire did not record. Input is the rank's Trace; output is Replayed: the
// findings, and the operations that other ranks take part in, which package between
// matches across ranks.
//
// Run goes through the calls in the order of their begins and returns, and follows
// requests, datatypes, communicators, windows, files and the memory in use.
package replay
