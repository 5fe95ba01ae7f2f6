/* usage: class=lost_request ranks=3
 * A non-blocking sum is never completed; another after it is. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int in = rank, out[2];
	MPI_Request req;
	MPI_Iallreduce(&in, &out[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req); /* ERROR */
	if (!faulty)
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Iallreduce(&in, &out[1], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
