/* usage: class=deadlock ranks=4 hangs
 * Two groups receive from each other through an intercommunicator before they
 * send; in the twin one of the groups sends first. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int half = rank / 2, word = rank, in, me;
	MPI_Comm mine, both;
	MPI_Comm_split(MPI_COMM_WORLD, half, rank, &mine);
	MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, half ? 0 : 2, 9, &both);
	MPI_Comm_rank(mine, &me);
	if (!faulty && half == 0) {
		MPI_Send(&word, 1, MPI_INT, me, 0, both);
		MPI_Recv(&in, 1, MPI_INT, me, 0, both, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&in, 1, MPI_INT, me, 0, both, MPI_STATUS_IGNORE); /* ERROR */
		MPI_Send(&word, 1, MPI_INT, me, 0, both);
	}
	MPI_Comm_free(&both);
	MPI_Comm_free(&mine);
	MPI_Finalize();
	return 0;
}
