/* usage: class=request_misuse|invalid_argument ranks=2
 * A matched message is received twice through a copy of its handle. The twin takes
 * two messages by two probes. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int a = 1, b = 2;
	MPI_Message message, copy;
	MPI_Request req[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	if (rank == 0) {
		MPI_Isend(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &req[0]);
		if (!faulty)
			MPI_Isend(&b, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &req[1]);
		MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	} else {
		MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		copy = message;
		if (!faulty)
			MPI_Mprobe(0, 0, MPI_COMM_WORLD, &copy, MPI_STATUS_IGNORE);
		MPI_Mrecv(&b, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(&a, 1, MPI_INT, &copy, MPI_STATUS_IGNORE); /* ERROR */
	}
	MPI_Finalize();
	return 0;
}
