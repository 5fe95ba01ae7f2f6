/* usage: class=lost_request ranks=2
 * A receive is tested once, before its message is sent, and never again. The twin
 * tests until it is there. */
#include <mpi.h>
#include <unistd.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = 0, flag = 0;
	MPI_Request req;
	if (rank == 1) {
		MPI_Irecv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &req); /* ERROR */
		do {
			MPI_Test(&req, &flag, MPI_STATUS_IGNORE);
			usleep(1000);
		} while (!flag && !faulty);
	} else {
		usleep(200000);
		MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
