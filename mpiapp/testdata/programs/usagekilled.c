/* Ends before MPI_Finalize, with a receive pending and a communicator not freed: rank 1
 * is killed ("kill") or aborts ("abort"), while the others wait for it in a persistent
 * collective. None of that is a misuse. */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Barrier_init MPIX_Barrier_init
#endif

int main(int argc, char **argv)
{
	int rank, word;
	MPI_Comm other;
	MPI_Request barrier, receive;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Barrier_init(other, MPI_INFO_NULL, &barrier);
	MPI_Irecv(&word, 1, MPI_INT, 0, 1, other, &receive);
	MPI_Barrier(other);
	if (rank == 1 && strcmp(argv[1], "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (rank == 1)
		raise(SIGKILL);
	MPI_Start(&barrier);
	MPI_Wait(&barrier, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
