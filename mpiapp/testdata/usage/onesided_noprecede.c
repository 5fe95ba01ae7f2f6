/* usage: class=one_sided ranks=3
 * The fence behind the puts of a ring says that it has nothing to complete. The twin says so
 * where that is true: in front of them, and where they were of a lock. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size, *shelf;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int right = (rank + 1) % size;
	MPI_Win win;
	MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shelf, &win);
	for (int step = 0; step < 2; step++) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win);
		MPI_Put(&rank, 1, MPI_INT, right, 1, 1, MPI_INT, win);
		MPI_Win_unlock(right, win);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
		MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win); /* ERROR */
		MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED | (faulty ? MPI_MODE_NOPRECEDE : 0), win); /* ERROR */
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
