/* usage: class=leak ranks=2
 * Persistent requests are completed and not freed. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int out = rank, in, other = 1 - rank;
	MPI_Request req[2];
	MPI_Send_init(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &req[0]); /* ERROR */
	MPI_Recv_init(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &req[1]); /* ERROR */
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, req);
		MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	}
	if (!faulty) {
		MPI_Request_free(&req[0]);
		MPI_Request_free(&req[1]);
	}
	MPI_Finalize();
	return 0;
}
