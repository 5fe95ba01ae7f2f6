/* usage: class=request_misuse|invalid_argument ranks=2
 * A persistent request is freed through two copies of its handle. In the twin the
 * copy is only waited for, and the other freed. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	int word = 1;
	MPI_Request req, copy;
	MPI_Send_init(&word, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &req);
	copy = req;
	MPI_Start(&copy);
	MPI_Wait(&copy, MPI_STATUS_IGNORE);
	MPI_Request_free(&req);
	if (faulty)
		MPI_Request_free(&copy); /* ERROR */
	MPI_Finalize();
	return 0;
}
