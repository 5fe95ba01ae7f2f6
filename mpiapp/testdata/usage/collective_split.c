/* usage: class=collective_mismatch ranks=4 may-hang
 * One rank duplicates the communicator where the others split it; in the twin it
 * takes part in the split and gets nothing. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm part;
	if (faulty && rank == 3)
		MPI_Comm_dup(MPI_COMM_WORLD, &part); /* ERROR */
	else
		MPI_Comm_split(MPI_COMM_WORLD, rank == 3 ? MPI_UNDEFINED : 0, rank, &part); /* ERROR */
	if (part != MPI_COMM_NULL)
		MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}
