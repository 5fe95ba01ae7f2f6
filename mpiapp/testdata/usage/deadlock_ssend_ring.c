/* usage: class=deadlock ranks=5 hangs
 * A ring of synchronous sends; the twin breaks it at rank 0. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int mine = rank, theirs, right = (rank + 1) % size, left = (rank + size - 1) % size;
	if (faulty || rank > 0) {
		MPI_Ssend(&mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD); /* ERROR */
		MPI_Recv(&theirs, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&theirs, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Ssend(&mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
