// Package library answers what an MPI library keeps of communicators and requests, from
// the memory of a process: which ranks a communicator has, what a request waits for.
// Input is a [Process]; output is what [Open] returns, a [Library].
//
// Libraries are mostly built without debug information, and where a member of a structure
// lies differs from build to build. So places are not taken from a table: they are looked
// for in objects of which it is known what they hold. MPI_COMM_WORLD has the size and the
// rank that the launcher gave, MPI_COMM_SELF one member, of which it is known where it is in
// the other. What the objects say of themselves is used as well: those of Open MPI point to
// the name of their class, those of MPICH begin with their handle. Each object that is read
// is checked again, a communicator by the own rank among its members, a request by its
// communicator and its peer. What does not agree is unknown.
//
// Of a library that is used by way of the standard ABI of MPI-5, only the predefined handles are known.
package library
