/* usage: class=request_misuse ranks=2
 * A persistent send is started again before it is complete. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = 1;
	MPI_Request req;
	if (rank == 0) {
		MPI_Send_init(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &req);
		MPI_Start(&req);
		if (!faulty)
			MPI_Wait(&req, MPI_STATUS_IGNORE);
		MPI_Start(&req); /* ERROR */
		MPI_Wait(&req, MPI_STATUS_IGNORE);
		MPI_Request_free(&req);
	} else {
		MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
