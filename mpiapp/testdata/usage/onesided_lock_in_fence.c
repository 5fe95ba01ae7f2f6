/* usage: class=one_sided ranks=2
 * A rank locks its neighbour while its puts of an epoch of fences are open. In the twin the fence
 * behind them comes first, and the window is changed over to locks with a barrier. */
#include <mpi.h>
#include <string.h>

static void add(MPI_Win win, int at, int what)
{
	MPI_Win_lock(MPI_LOCK_SHARED, at, 0, win); /* ERROR */
	MPI_Accumulate(&what, 1, MPI_INT, at, 1, 1, MPI_INT, MPI_SUM, win);
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
	MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win); /* ERROR */
	if (faulty)
		add(win, 1 - rank, rank);
	MPI_Win_fence(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!faulty)
		add(win, 1 - rank, rank);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
