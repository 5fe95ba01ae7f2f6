/* usage: class=collective_mismatch ranks=3 may-hang
 * Persistent collectives, which one rank makes in another order. */
#include <mpi.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define BCAST_INIT MPIX_Bcast_init
#define ALLREDUCE_INIT MPIX_Allreduce_init
#else
#define BCAST_INIT MPI_Bcast_init
#define ALLREDUCE_INIT MPI_Allreduce_init
#endif

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, word = 1, sum, in = 2;
	MPI_Request both[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int late = faulty && rank == 2;
	if (late)
		ALLREDUCE_INIT(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]); /* ERROR */
	BCAST_INIT(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
	if (!late)
		ALLREDUCE_INIT(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, both);
		MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&both[0]);
	MPI_Request_free(&both[1]);
	MPI_Finalize();
	return 0;
}
