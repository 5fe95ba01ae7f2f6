/* usage: class=lost_request ranks=2
 * The request of a receive is overwritten by the next (Umpire, Figure 11). In the
 * twin a copy of the handle is kept (Figure 13), which is no leak. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int a = 1, b = 2;
	MPI_Request req, req2 = MPI_REQUEST_NULL;
	if (rank == 0) {
		MPI_Send(&a, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Send(&b, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
	} else {
		MPI_Irecv(&a, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &req); /* ERROR */
		if (!faulty)
			req2 = req;
		MPI_Irecv(&b, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &req);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
		MPI_Wait(&req2, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
