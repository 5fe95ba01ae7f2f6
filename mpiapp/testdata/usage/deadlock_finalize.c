/* usage: class=deadlock ranks=3 hangs
 * Rank 2 expects a second message from a rank that has gone to MPI_Finalize. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = rank, n = faulty ? 2 : 1;
	if (rank == 0)
		MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
	if (rank == 2)
		for (int i = 0; i < n; i++)
			MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Finalize();
	return 0;
}
