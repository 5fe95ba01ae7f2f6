/* usage: class=lost_request ranks=3
 * One handle for the sends of a loop, of which the last is completed. The twin has
 * a handle for each. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int out = rank, in[2];
	MPI_Request req[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	for (int i = 0, k = 0; i < size; i++) {
		if (i == rank)
			continue;
		MPI_Isend(&out, 1, MPI_INT, i, 0, MPI_COMM_WORLD, &req[faulty ? 0 : k]); /* ERROR */
		k++;
	}
	for (int i = 0; i < 2; i++)
		MPI_Recv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Waitall(3, req, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
