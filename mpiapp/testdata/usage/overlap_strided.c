/* usage: class=buffer_overlap ranks=3
 * Two strided receives share their elements; the twin's are interleaved. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int in[9];
	MPI_Datatype every;
	MPI_Request req[2];
	MPI_Type_vector(4, 1, 2, MPI_INT, &every);
	MPI_Type_commit(&every);
	if (rank == 0) {
		MPI_Irecv(in, 1, every, 1, 0, MPI_COMM_WORLD, &req[0]); /* ERROR */
		MPI_Irecv(in + (faulty ? 2 : 1), 1, every, 2, 0, MPI_COMM_WORLD, &req[1]); /* ERROR */
		MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	} else {
		int out[4] = {rank};
		MPI_Send(out, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Type_free(&every);
	MPI_Finalize();
	return 0;
}
