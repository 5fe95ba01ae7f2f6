/* usage: class=request_misuse|lost_request ranks=2
 * A receive is cancelled and not completed; the twin completes it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = 1, gone;
	MPI_Request req;
	MPI_Status st;
	MPI_Irecv(&word, 1, MPI_INT, 1 - rank, 99, MPI_COMM_WORLD, &req); /* ERROR */
	MPI_Cancel(&req); /* ERROR */
	if (!faulty) {
		MPI_Wait(&req, &st);
		MPI_Test_cancelled(&st, &gone);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
