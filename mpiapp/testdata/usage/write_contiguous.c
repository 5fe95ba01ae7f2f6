/* usage: class=send_buffer_write ranks=2
 * A number is changed while it is being sent (Umpire, Figure 12); the twin only
 * reads it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int data[16] = {1, 2, 3}, sum = 0;
	MPI_Request req;
	if (rank == 0) {
		MPI_Isend(data, 16, MPI_INT, 1, 0, MPI_COMM_WORLD, &req); /* ERROR */
		if (faulty)
			data[0] = 1234;
		else
			sum += data[0];
		MPI_Wait(&req, MPI_STATUS_IGNORE); /* ERROR */
	} else {
		MPI_Recv(data, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (sum < 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Finalize();
	return 0;
}
