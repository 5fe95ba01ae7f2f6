/* usage: class=buffer_overlap ranks=3
 * Two receives are posted that overlap by one number; the twin's touch. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int in[8];
	MPI_Request req[2];
	if (rank == 0) {
		MPI_Irecv(in, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &req[0]); /* ERROR */
		MPI_Irecv(in + (faulty ? 3 : 4), 4, MPI_INT, 2, 0, MPI_COMM_WORLD, &req[1]); /* ERROR */
		MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	} else {
		int out[4] = {rank};
		MPI_Send(out, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
