/* usage: class=send_buffer_write ranks=4
 * One buffer for the messages of a loop that are completed after it; the twin has
 * one for each. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int out[4], in;
	MPI_Request req[4];
	for (int i = 0; i < size; i++) {
		int *p = faulty ? out : out + i;
		*p = 10 * rank + i;
		MPI_Isend(p, 1, MPI_INT, i, 0, MPI_COMM_WORLD, &req[i]); /* ERROR */
	}
	for (int i = 0; i < size; i++)
		MPI_Recv(&in, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Waitall(size, req, MPI_STATUSES_IGNORE); /* ERROR */
	MPI_Finalize();
	return 0;
}
