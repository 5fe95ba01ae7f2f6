/* usage: class=deadlock ranks=2 hangs
 * Rank 0 completes a non-blocking barrier before it sends what rank 1 needs to
 * enter it; the twin sends between the start and the completion. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = 3;
	MPI_Request req;
	if (rank == 0) {
		MPI_Ibarrier(MPI_COMM_WORLD, &req);
		if (!faulty)
			MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Wait(&req, MPI_STATUS_IGNORE); /* ERROR */
		if (faulty)
			MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		MPI_Ibarrier(MPI_COMM_WORLD, &req);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
