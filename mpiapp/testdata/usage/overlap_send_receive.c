/* usage: class=buffer_overlap|send_buffer_write ranks=2
 * A receive into the buffer of a pending send; the twin sends it twice, which is
 * allowed. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int data[4] = {rank}, in[4], other = 1 - rank;
	MPI_Request req[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	if (faulty) {
		MPI_Irecv(data, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &req[0]); /* ERROR */
		MPI_Isend(data, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &req[1]); /* ERROR */
		MPI_Waitall(2, req, MPI_STATUSES_IGNORE); /* ERROR */
	} else {
		MPI_Isend(data, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &req[0]);
		MPI_Isend(data, 4, MPI_INT, other, 1, MPI_COMM_WORLD, &req[1]);
		MPI_Irecv(in, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &req[2]);
		MPI_Wait(&req[2], MPI_STATUS_IGNORE);
		MPI_Recv(in, 4, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Waitall(3, req, MPI_STATUSES_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
