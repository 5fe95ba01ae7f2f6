/* usage: class=receive_buffer_write ranks=2
 * A persistent receive is started anew before its last message was used up; the
 * twin writes to the buffer between the completion and the next start. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	float halo[32] = {0};
	MPI_Request req;
	if (rank == 0) {
		MPI_Recv_init(halo, 32, MPI_FLOAT, 1, 5, MPI_COMM_WORLD, &req);
		for (int step = 0; step < 6; step++) {
			if (!faulty)
				halo[0] = -1;
			MPI_Start(&req); /* ERROR */
			if (faulty && step == 4)
				halo[0] = -1;
			MPI_Send(halo, 0, MPI_FLOAT, 1, 6, MPI_COMM_WORLD); /* ERROR */
			MPI_Wait(&req, MPI_STATUS_IGNORE);
		}
		MPI_Request_free(&req);
	} else {
		for (int step = 0; step < 6; step++) {
			MPI_Recv(NULL, 0, MPI_FLOAT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			halo[0] = step + 1;
			MPI_Send(halo, 32, MPI_FLOAT, 0, 5, MPI_COMM_WORLD);
		}
	}
	MPI_Finalize();
	return 0;
}
