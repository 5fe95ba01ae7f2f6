/* usage: class=potential_deadlock ranks=4
 * The workers send what they found and then their times, with one tag. Rank 0 takes
 * the first from anybody and the times in order, so that the times of a fast worker
 * can be taken for what another found; in the twin a barrier stands between. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size, n = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (int i = 1; i < size; i++)
			MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		if (!faulty)
			MPI_Barrier(MPI_COMM_WORLD);
		for (int i = 1; i < size; i++)
			MPI_Recv(&n, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		if (!faulty)
			MPI_Barrier(MPI_COMM_WORLD);
		usleep(300000); /* all have sent the first */
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* ERROR */
	}
	MPI_Finalize();
	return 0;
}
