/* usage: class=one_sided ranks=2
 * Gets follow a fence that says nothing follows. In the twin it is a lock they are made under. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, *shelf, in[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win win;
	MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shelf, &win);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win); /* ERROR */
	if (!faulty)
		MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
	MPI_Get(in, 2, MPI_INT, 1 - rank, 0, 2, MPI_INT, win); /* ERROR */
	if (faulty)
		MPI_Win_fence(0, win);
	else
		MPI_Win_unlock(1 - rank, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
