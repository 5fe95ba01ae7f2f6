/* usage: class=one_sided ranks=3
 * The first rank says at a fence that nobody puts to it. Then the others only read from it; but
 * one fence too early, while they still accumulate there. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, one = 1, seen = 0;
	long board[3] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win win;
	MPI_Win_create(board, sizeof board, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(rank == 0 && faulty ? MPI_MODE_NOPUT : 0, win); /* ERROR */
	if (rank != 0)
		MPI_Accumulate(&one, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win); /* ERROR */
	MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : 0, win);
	if (rank != 0) {
		MPI_Get(&seen, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
		MPI_Put(&one, 1, MPI_INT, 3 - rank, 0, 1, MPI_INT, win);
	}
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return rank != 0 && !faulty && seen != 2;
}
