/* usage: class=collective_mismatch ranks=3 may-hang
 * Two non-blocking collectives are begun in another order on one rank; the twin
 * only completes them in another order. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = 1, in = rank, sum = 0;
	MPI_Request req[2];
	if (faulty && rank == 2) {
		MPI_Iallreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req[1]); /* ERROR */
		MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &req[0]);
	} else {
		MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &req[0]); /* ERROR */
		MPI_Iallreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req[1]);
	}
	if (rank == 2) {
		MPI_Wait(&req[1], MPI_STATUS_IGNORE);
		MPI_Wait(&req[0], MPI_STATUS_IGNORE);
	} else {
		MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
