/* usage: class=one_sided ranks=2
 * A get of what the same epoch puts; in the twin a fence is between them. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int shelf[4] = {0}, in[2] = {0};
	MPI_Win win;
	MPI_Win_create(shelf, sizeof shelf, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&rank, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, win); /* ERROR */
	if (!faulty)
		MPI_Win_fence(0, win);
	MPI_Get(in, 2, MPI_INT, 1 - rank, 0, 2, MPI_INT, win); /* ERROR */
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
