/* usage: class=potential_deadlock ranks=3
 * Rank 0 takes a message of any rank and then one of rank 2. It goes well while
 * that of rank 1 comes first; the twin tells them apart by their tags. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, n = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int tag = faulty ? 7 : 8;
	if (rank == 0) {
		MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		MPI_Recv(&n, 1, MPI_INT, 2, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	} else if (rank == 1) {
		MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
	} else {
		usleep(200000); /* rank 1 is first */
		MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); /* ERROR */
	}
	MPI_Finalize();
	return 0;
}
