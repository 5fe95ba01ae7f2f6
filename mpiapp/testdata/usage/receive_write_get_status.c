/* usage: class=receive_buffer_write ranks=2
 * A rank puts a value into a buffer before MPI_Request_get_status says that the
 * message is there; the twin does that behind it, before MPI_Wait. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, done = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double column[16] = {0};
	if (rank == 0) {
		MPI_Request req;
		MPI_Irecv(column, 16, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &req); /* ERROR */
		if (faulty)
			column[0] = 3.5;
		MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD); /* ERROR */
		while (!done)
			MPI_Request_get_status(req, &done, MPI_STATUS_IGNORE);
		column[0] = 4.5;
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; i < 16; i++)
			column[i] = i + 1;
		MPI_Send(column, 16, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
