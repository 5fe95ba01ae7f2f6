/* usage: class=collective_mismatch ranks=2 may-hang
 * A blocking broadcast meets a non-blocking one; the twin has only non-blocking
 * ones, with messages going on meanwhile. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = rank, in, other = 1 - rank;
	MPI_Request req = MPI_REQUEST_NULL;
	if (faulty && rank == 1)
		MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &req); /* ERROR */
	MPI_Sendrecv(&rank, 1, MPI_INT, other, 0, &in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
