/* usage: class=send_buffer_write ranks=3
 * The root changes what it broadcasts; in the twin it uses another buffer. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = rank, next = 0;
	MPI_Request req;
	MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &req); /* ERROR */
	if (rank == 0) {
		if (faulty)
			word = 99;
		else
			next = 99;
	}
	MPI_Wait(&req, MPI_STATUS_IGNORE); /* ERROR */
	if (next)
		word = next;
	MPI_Finalize();
	return 0;
}
