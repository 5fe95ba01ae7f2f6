/* usage: class=send_buffer_write ranks=2
 * The next step's values are written into the buffer of a persistent send that is
 * still active; the twin writes them between the completion and the start. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	float halo[32] = {0};
	MPI_Request req;
	if (rank == 0)
		MPI_Send_init(halo, 32, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, &req);
	else
		MPI_Recv_init(halo, 32, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, &req);
	for (int step = 1; step < 4; step++) {
		if (rank == 0 && !faulty)
			halo[step] = (float)step;
		MPI_Start(&req); /* ERROR */
		if (rank == 0 && faulty)
			halo[step] = (float)step;
		MPI_Wait(&req, MPI_STATUS_IGNORE); /* ERROR */
	}
	MPI_Request_free(&req);
	MPI_Finalize();
	return 0;
}
