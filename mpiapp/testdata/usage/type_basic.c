/* usage: class=type_mismatch ranks=2
 * Integers are received as floats; the twin receives them as one derived type. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int out[4] = {1, 2, 3, 4}, in[4];
	MPI_Datatype four;
	MPI_Type_contiguous(4, MPI_INT, &four);
	MPI_Type_commit(&four);
	if (rank == 0)
		MPI_Send(out, 4, MPI_INT, 1, 0, MPI_COMM_WORLD); /* ERROR */
	else if (faulty)
		MPI_Recv(in, 4, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	else
		MPI_Recv(in, 1, four, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&four);
	MPI_Finalize();
	return 0;
}
