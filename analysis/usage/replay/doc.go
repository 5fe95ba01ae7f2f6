// Package replay answers where one rank by itself uses MPI wrongly: the checks of
// Umpire (Vetter and de Supinski, SC 2000) that need one rank only, and those that
// need what Umpire did not record. Input is the rank's Trace; output is Replayed: the
// findings, and the epochs of windows with the accesses in them. The operations that other ranks
// take part in are told to a Follower as they begin and end: package between keeps of them what it needs.
//
// Run goes through the calls in the order of their begins and returns, one at a time, and hands each
// to types that follow one thing each:
//
//	life         whether MPI is initialised and finalised
//	threads      which calls the threads are in
//	arguments    what calls are given
//	refusals     error handlers, and calls that returned an error to the program
//	objects      what was made and must be freed
//	datatypes    which are not committed
//	groups       who is in them
//	operations   what is under way, of a call or of a request
//	memory       the buffers of that
//	messages     sends, receives and probes
//	collectives  their numbers on each communicator
//	requests     from the call that makes one to the call that ends it
//	windows      epochs and accesses
//	files        their modes and split collectives
//	attached     the buffer for buffered sends
//	notes        what the recorder saw itself
//
// Each has beginCall, for a call up to where MPI takes over, endCall, for its return, and
// reportLeftovers, for the end of the trace, as far as it needs them. They share a reporter.
package replay
