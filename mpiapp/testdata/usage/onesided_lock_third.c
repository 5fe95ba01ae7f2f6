/* usage: class=one_sided ranks=3 may-hang
 * While the first rank puts to the second between two fences, the third locks the second's memory to
 * count there. In the twin it counts at itself meanwhile, and at the second when the fence has closed. */
#include <mpi.h>
#include <string.h>

static void count(MPI_Win win, int at)
{
	int one = 1;
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, at, 0, win); /* ERROR */
	MPI_Accumulate(&one, 1, MPI_INT, at, 1, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_unlock(at, win);
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, *shelf;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win win;
	MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shelf, &win);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* ERROR */
	else if (rank == 2)
		count(win, faulty ? 1 : 2);
	MPI_Win_fence(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 2)
		count(win, 1);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
