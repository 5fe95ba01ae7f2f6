/* usage: class=deadlock ranks=2 hangs
 * A synchronous send to itself before the receive; the twin has posted it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int out = rank, in;
	MPI_Request req = MPI_REQUEST_NULL;
	if (!faulty)
		MPI_Irecv(&in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &req);
	MPI_Ssend(&out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD); /* ERROR */
	if (faulty)
		MPI_Irecv(&in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
