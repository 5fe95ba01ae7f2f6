/* usage: class=leak ranks=2
 * A window stays. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *shelf;
	MPI_Win win;
	MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shelf, &win); /* ERROR */
	MPI_Win_fence(0, win);
	MPI_Put(&rank, 1, MPI_INT, 1 - rank, rank, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	if (!faulty)
		MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
