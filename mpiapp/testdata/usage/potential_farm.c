/* usage: class=potential_deadlock ranks=4
 * A farm of workers: each asks from anybody's turn, and gets work until there is
 * none. At the end the faulty one collects a last message of each worker by name,
 * with the tag of the requests and nothing that keeps it behind them; in the twin a
 * worker sends it only when it has been told that there is no more work. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

enum { REQUEST, WORK };

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size, n = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		MPI_Status status;
		for (int i = 0; i < 2 * (size - 1); i++) {
			MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &status); /* ERROR */
			if (!faulty)
				MPI_Send(&i, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
		}
		if (!faulty)
			for (int i = 1; i < size; i++)
				MPI_Send(&n, 1, MPI_INT, i, WORK, MPI_COMM_WORLD);
		for (int i = 1; i < size; i++)
			MPI_Recv(&n, 1, MPI_INT, i, REQUEST, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	} else {
		for (int i = 0; i < 2; i++) {
			MPI_Send(&rank, 1, MPI_INT, 0, REQUEST, MPI_COMM_WORLD);
			if (!faulty)
				MPI_Recv(&n, 1, MPI_INT, 0, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		if (!faulty)
			MPI_Recv(&n, 1, MPI_INT, 0, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		usleep(300000);
		MPI_Send(&rank, 1, MPI_INT, 0, REQUEST, MPI_COMM_WORLD); /* ERROR */
	}
	MPI_Finalize();
	return 0;
}
