/* usage: class=unmatched_message ranks=3
 * A send whose request was freed is never received. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = rank;
	MPI_Request req;
	if (rank == 0) {
		MPI_Isend(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &req); /* ERROR */
		MPI_Request_free(&req);
	}
	if (rank == 2 && !faulty)
		MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
