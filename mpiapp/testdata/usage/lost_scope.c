/* usage: class=lost_request ranks=2
 * A function begins a send and forgets its request. The twin gives the request up
 * by MPI_Request_free and hears from the receiver that the send is complete. */
#include <mpi.h>
#include <string.h>

static int word;

static void post(int faulty)
{
	MPI_Request req;
	MPI_Isend(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &req); /* ERROR */
	if (!faulty)
		MPI_Request_free(&req);
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int heard = 0;
	if (rank == 0) {
		word = 7;
		post(faulty);
		MPI_Recv(&heard, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&heard, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
