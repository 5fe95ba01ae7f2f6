/* usage: class=unmatched_message ranks=2
 * One message more is sent than received. In the twin all are received, late and
 * in another order. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int out[3] = {0}, in;
	MPI_Request req[3];
	if (rank == 0)
		for (int i = 0; i < 3; i++)
			MPI_Isend(&out[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &req[i]); /* ERROR */
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		for (int i = 2; i >= (faulty ? 1 : 0); i--)
			MPI_Recv(&in, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		MPI_Waitall(3, req, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
