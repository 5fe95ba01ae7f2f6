/* usage: class=receive_buffer_write ranks=2
 * The message has long come when the receive is posted, and the program writes
 * over it before it waits; the twin writes behind what is received, and where
 * nothing comes from MPI_PROC_NULL. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int box[5] = {7, 7, 7, 7, 7};
	MPI_Request req;
	if (rank == 1)
		MPI_Isend(box, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &req);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		int in[5] = {0};
		MPI_Irecv(in, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &req); /* ERROR */
		in[faulty ? 3 : 4] = 99;
		MPI_Wait(&req, MPI_STATUS_IGNORE); /* ERROR */
		MPI_Irecv(in, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &req);
		in[0] = 5;
		MPI_Wait(&req, MPI_STATUS_IGNORE);
		in[3] = 100;
	} else {
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
