//go:build !mpi

package reduce

// HasMPI reports whether this build can be a rank of an MPI job.
const HasMPI = false
