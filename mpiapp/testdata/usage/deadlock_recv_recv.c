/* usage: class=deadlock ranks=2 hangs
 * Both ranks receive before they send; the twin lets rank 0 send first. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mine = rank, theirs, other = 1 - rank;
	if (faulty) {
		MPI_Recv(&theirs, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		MPI_Send(&mine, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
	} else if (rank == 0) {
		MPI_Send(&mine, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
		MPI_Recv(&theirs, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&theirs, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&mine, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
