/* usage: class=one_sided ranks=3
 * Two ranks put to one place in one epoch. The twin adds to it, which is allowed. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int shelf[4] = {0};
	MPI_Win win;
	MPI_Win_create(shelf, sizeof shelf, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank > 0 && faulty)
		MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* ERROR */
	if (rank > 0 && !faulty)
		MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
