/* usage: class=deadlock ranks=4 hangs
 * The master takes one message more than the workers send. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int word = rank, want = faulty ? size : size - 1;
	if (rank == 0)
		for (int i = 0; i < want; i++)
			MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	else
		MPI_Send(&word, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
	MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD); /* ERROR */
	MPI_Finalize();
	return 0;
}
