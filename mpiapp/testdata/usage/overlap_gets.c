/* usage: class=buffer_overlap ranks=4
 * The shares of all ranks are fetched into one scratch buffer and summed up; each get needs a
 * flush of its own, also of the local kind, before the next one takes the buffer. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { SHARE = 16 };

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	double *share, scratch[SHARE], sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win win;
	MPI_Win_allocate(SHARE * sizeof *share, sizeof *share, MPI_INFO_NULL, MPI_COMM_WORLD, &share, &win);
	for (int i = 0; i < SHARE; i++)
		share[i] = rank;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	for (int r = 0; r < size; r++) {
		MPI_Get(scratch, SHARE, MPI_DOUBLE, r, 0, SHARE, MPI_DOUBLE, win); /* ERROR */
		MPI_Win_flush_local(faulty ? rank : r, win);
		sum += scratch[0];
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return !faulty && sum != 6;
}
