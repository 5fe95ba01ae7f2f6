/* usage: class=invalid_argument ranks=2
 * A negative tag; the twin uses the greatest that there is. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *upper, found, word = 1, tag;
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &found);
	tag = faulty ? -5 : *upper;
	if (rank == 0)
		MPI_Send(&word, 1, MPI_INT, 1, tag, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Recv(&word, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Finalize();
	return 0;
}
