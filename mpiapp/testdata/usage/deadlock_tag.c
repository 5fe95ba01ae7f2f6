/* usage: class=deadlock ranks=2 hangs
 * A request with tag 1 is awaited with tag 7; the twin takes any tag. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int ask = 1, reply = 2;
	if (rank == 0) {
		MPI_Send(&ask, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(&reply, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	} else {
		MPI_Recv(&ask, 1, MPI_INT, 0, faulty ? 7 : MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		MPI_Send(&reply, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
