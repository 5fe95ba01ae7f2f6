/* usage: class=lost_request ranks=4
 * The loop over Waitsome counts its calls and not the requests that they complete. */
#include <mpi.h>
#include <unistd.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int in[3], which[3], n, got = 0;
	MPI_Request req[3];
	if (rank == 0) {
		for (int i = 0; i < 3; i++)
			MPI_Irecv(&in[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &req[i]); /* ERROR */
		do {
			MPI_Waitsome(3, req, &n, which, MPI_STATUSES_IGNORE);
			got += n;
		} while (!faulty && got < 3);
	} else {
		usleep(rank * 150000);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
