/* usage: class=deadlock ranks=3 hangs patience=12s
 * Two ranks wait for rank 0: for eight seconds, and in the faulty program for good. */
#include <mpi.h>
#include <unistd.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = rank;
	if (rank == 0) {
		if (faulty) {
			MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		} else {
			sleep(8);
			MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		}
	} else if (rank == 1) {
		MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		if (faulty)
			MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
