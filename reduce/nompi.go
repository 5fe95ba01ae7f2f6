//go:build !mpi

package reduce

// HasMPI tells whether this build can be a rank of an MPI job.
const HasMPI = false
