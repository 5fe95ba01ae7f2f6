// Package unwind finds the calls through which a thread of a stopped process came to where it is, with the
// registers that each caller had at its call, as far as they can be known. It follows the call frame
// information in the memory of the process ([laggard/binary/callframe]), and the frame pointer where code has
// none. Rows are kept by build-id, for all processes that have the same files.
package unwind
