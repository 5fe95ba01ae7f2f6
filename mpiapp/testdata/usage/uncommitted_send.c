/* usage: class=invalid_type ranks=2
 * A vector is sent that was not committed. The twin leaves uncommitted what it
 * only builds with. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int data[8] = {0};
	MPI_Datatype pair, two;
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_vector(2, 1, 2, pair, &two);
	if (!faulty)
		MPI_Type_commit(&two);
	if (rank == 0)
		MPI_Send(data, 1, two, 1, 0, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Recv(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&pair);
	MPI_Type_free(&two);
	MPI_Finalize();
	return 0;
}
