/* usage: class=one_sided ranks=2
 * The second get comes after the unlock. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int shelf[2] = {rank, rank}, in[2];
	MPI_Win win;
	MPI_Win_create(shelf, sizeof shelf, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
	MPI_Get(&in[0], 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
	if (!faulty)
		MPI_Get(&in[1], 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, win);
	MPI_Win_unlock(1 - rank, win);
	if (faulty)
		MPI_Get(&in[1], 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, win); /* ERROR */
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
