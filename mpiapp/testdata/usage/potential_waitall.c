/* usage: class=potential_deadlock ranks=4
 * Non-blocking sends that are completed before the receives are posted: no safer
 * than blocking ones. The twin completes them after. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int out = rank, in, right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Request req;
	MPI_Isend(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &req);
	if (faulty)
		MPI_Wait(&req, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Recv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!faulty)
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
