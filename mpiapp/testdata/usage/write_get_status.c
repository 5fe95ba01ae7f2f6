/* usage: class=send_buffer_write ranks=2
 * A number is changed before MPI_Request_get_status says that its message is complete;
 * the twin does that behind it, before MPI_Wait. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, done = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int data[16] = {1, 2, 3};
	MPI_Request req;
	if (rank == 0) {
		MPI_Isend(data, 16, MPI_INT, 1, 0, MPI_COMM_WORLD, &req); /* ERROR */
		if (faulty)
			data[0] = 1234;
		while (!done)
			MPI_Request_get_status(req, &done, MPI_STATUS_IGNORE); /* ERROR */
		data[0] = 4321;
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(data, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
