/* usage: class=request_misuse|invalid_argument ranks=2
 * A request is completed through a copy of its handle, and then once more; the twin
 * completes it once, and waits for a null request, which is none. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = 1;
	MPI_Request req, copy;
	if (rank == 0)
		MPI_Isend(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &req);
	else
		MPI_Irecv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &req);
	copy = req;
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	if (!faulty)
		copy = req;
	MPI_Wait(&copy, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Finalize();
	return 0;
}
