/* usage: class=ready_send ranks=2
 * A ready send whose receive is posted only after a barrier that follows it; in the
 * twin the receive is posted before one that comes first. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = rank;
	MPI_Request req = MPI_REQUEST_NULL;
	if (rank == 1 && !faulty)
		MPI_Irecv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &req);
	if (!faulty)
		MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Rsend(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* ERROR */
	if (faulty)
		MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1 && faulty)
		MPI_Irecv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &req); /* ERROR */
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
