/* usage: class=request_misuse|unmatched_message|lost_request ranks=2
 * A message is taken out of the queue by a matched probe and never received; the
 * twin receives it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = 1, there = 0;
	MPI_Message message;
	MPI_Request req;
	if (rank == 0) {
		MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* ERROR */
	} else {
		while (!there)
			MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &message, MPI_STATUS_IGNORE); /* ERROR */
		if (!faulty) {
			MPI_Imrecv(&word, 1, MPI_INT, &message, &req);
			MPI_Wait(&req, MPI_STATUS_IGNORE);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
