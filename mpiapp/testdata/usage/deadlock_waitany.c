/* usage: class=deadlock ranks=3 hangs
 * Everybody waits for either of the others, and nobody has sent: a knot. In the
 * twin rank 0 sends first, which is enough. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int in[3], out = rank, which;
	MPI_Request req[3];
	for (int i = 0; i < size; i++)
		if (i == rank)
			req[i] = MPI_REQUEST_NULL;
		else
			MPI_Irecv(&in[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &req[i]);
	if (faulty || rank > 0)
		MPI_Waitany(size, req, &which, MPI_STATUS_IGNORE); /* ERROR */
	for (int i = 0; i < size; i++)
		if (i != rank)
			MPI_Send(&out, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
	MPI_Waitall(size, req, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
