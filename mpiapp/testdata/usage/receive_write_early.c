/* usage: class=receive_buffer_write ranks=2
 * A rank puts a first guess into a buffer that it has already posted for the
 * message to come; the twin puts it beside, into the gaps of the vector. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double column[16] = {0};
	MPI_Datatype every_other;
	MPI_Type_vector(8, 1, 2, MPI_DOUBLE, &every_other);
	MPI_Type_commit(&every_other);
	if (rank == 0) {
		MPI_Request req;
		MPI_Irecv(column, 1, every_other, 1, 0, MPI_COMM_WORLD, &req); /* ERROR */
		column[faulty ? 0 : 1] = 3.5;
		MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD); /* ERROR */
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; i < 16; i++)
			column[i] = i + 1;
		MPI_Send(column, 1, every_other, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Type_free(&every_other);
	MPI_Finalize();
	return 0;
}
