/* usage: class=invalid_argument ranks=2
 * A receive without a place for its request. The twin gives one. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, word = 7;
	MPI_Request pending = MPI_REQUEST_NULL, *place = faulty ? NULL : &pending;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		MPI_Irecv(&word, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, place); /* ERROR */
		MPI_Wait(&pending, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&word, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
