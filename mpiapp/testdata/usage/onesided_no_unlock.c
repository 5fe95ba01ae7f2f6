/* usage: class=one_sided ranks=2
 * The window is freed while a lock is held. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int shelf[2] = {0};
	MPI_Win win;
	MPI_Win_create(shelf, sizeof shelf, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win); /* ERROR */
		MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* ERROR */
		if (!faulty)
			MPI_Win_unlock(1, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win); /* ERROR */
	MPI_Finalize();
	return 0;
}
