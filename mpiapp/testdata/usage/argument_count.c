/* usage: class=invalid_argument ranks=2
 * A count runs below zero; in the twin it reaches zero, with no buffer. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int room = faulty ? 3 : 4, n = room - 4, word = 0;
	if (rank == 0)
		MPI_Send(n ? &word : NULL, n, MPI_INT, 1, 0, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
