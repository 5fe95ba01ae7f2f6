/* usage: class=send_buffer_write ranks=3
 * The input of a non-blocking sum changes before it is complete. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	long in[8] = {1}, out[8];
	MPI_Request req;
	MPI_Iallreduce(in, out, 8, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &req); /* ERROR */
	if (faulty && rank == 1)
		in[7] = 77;
	MPI_Wait(&req, MPI_STATUS_IGNORE); /* ERROR */
	in[0] = 5;
	MPI_Finalize();
	return 0;
}
