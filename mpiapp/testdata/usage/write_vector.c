/* usage: class=send_buffer_write ranks=2
 * A column of a matrix is being sent, and another of its elements changes. The twin
 * writes the columns beside it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double a[4][4] = {{0}};
	MPI_Datatype column;
	MPI_Request req;
	MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	if (rank == 0) {
		MPI_Isend(&a[0][1], 1, column, 1, 0, MPI_COMM_WORLD, &req); /* ERROR */
		for (int i = 0; i < 4; i++)
			a[i][0] = a[i][2] = 5.0;
		if (faulty)
			a[3][1] = 6.0;
		MPI_Wait(&req, MPI_STATUS_IGNORE); /* ERROR */
	} else {
		MPI_Recv(&a[0][1], 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Type_free(&column);
	MPI_Finalize();
	return 0;
}
