/* usage: class=invalid_argument ranks=3
 * A rank without a part in a split uses the communicator that it did not get. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm part;
	MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, rank, &part);
	if (faulty || part != MPI_COMM_NULL)
		MPI_Barrier(part); /* ERROR */
	if (part != MPI_COMM_NULL)
		MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}
