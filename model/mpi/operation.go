package mpi

// Operations are the predefined operations of reductions, in the order of their
// numbers in a run directory, which begin at 1.
var Operations = [...]string{
	"MPI_MAX", "MPI_MIN", "MPI_SUM", "MPI_PROD", "MPI_LAND", "MPI_BAND", "MPI_LOR", "MPI_BOR", "MPI_LXOR", "MPI_BXOR",
	"MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP",
}
