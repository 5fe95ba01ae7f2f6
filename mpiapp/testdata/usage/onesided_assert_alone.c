/* usage: class=collective_mismatch|one_sided ranks=3 may-hang
 * A rank that makes no access itself says so at the fence that ends the epoch of the others. That
 * is only right if all say it; where each knows for itself, such as NOPUT, one may. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, shelf[2] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win win;
	MPI_Win_create(shelf, sizeof shelf, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(MPI_MODE_NOPRECEDE | (rank == 1 ? MPI_MODE_NOPUT : 0), win);
	if (rank == 1)
		MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
	MPI_Win_fence((rank == 0 ? MPI_MODE_NOSTORE : 0) | (rank == 0 && faulty ? MPI_MODE_NOPRECEDE : 0), win); /* ERROR */
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
