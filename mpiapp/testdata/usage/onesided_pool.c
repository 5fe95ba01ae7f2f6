/* usage: class=one_sided ranks=2
 * A pool of buffers in a window, and a library that frees whatever communicator it is
 * given. MPI refuses that for MPI_COMM_WORLD, and the library has errors returned, so
 * it goes on. Both ranks put their item into one slot; in the twin each has its own. */
#include <mpi.h>
#include <string.h>

enum { SLOTS = 4 };

static int drop(MPI_Comm comm)
{
	return MPI_Comm_free(&comm) == MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	double room[SLOTS] = {0}, item;
	MPI_Win pool;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (drop(MPI_COMM_WORLD))
		return 1;
	item = rank;
	MPI_Win_create(room, sizeof room, sizeof *room, MPI_INFO_NULL, MPI_COMM_WORLD, &pool);
	MPI_Win_fence(0, pool);
	MPI_Put(&item, 1, MPI_DOUBLE, 0, faulty ? 1 : 1 + rank, 1, MPI_DOUBLE, pool); /* ERROR */
	MPI_Win_fence(0, pool);
	MPI_Win_free(&pool);
	MPI_Finalize();
	return 0;
}
