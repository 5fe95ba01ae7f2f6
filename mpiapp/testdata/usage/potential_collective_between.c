/* usage: class=potential_deadlock ranks=3
 * A send whose receive comes after a barrier; the twin may complete it later. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = 5;
	MPI_Request req;
	if (rank == 0) {
		if (faulty) {
			MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* ERROR */
			MPI_Barrier(MPI_COMM_WORLD);
		} else {
			MPI_Isend(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &req);
			MPI_Barrier(MPI_COMM_WORLD);
			MPI_Wait(&req, MPI_STATUS_IGNORE);
		}
	} else {
		MPI_Barrier(MPI_COMM_WORLD); /* ERROR */
		if (rank == 1)
			MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
