/* usage: class=deadlock ranks=3 hangs
 * Rank 0 is in a barrier that rank 1 enters only with a message that rank 0 sends
 * after it; the twin sends before it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = 42;
	if (rank == 0 && !faulty)
		MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Barrier(MPI_COMM_WORLD); /* ERROR */
	if (rank == 0 && faulty)
		MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
