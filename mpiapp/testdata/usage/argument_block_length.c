/* usage: class=invalid_argument ranks=2
 * A type with a negative block; the twin has an empty one. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int lengths[3] = {1, 0, 2}, at[3] = {0, 4, 8}, data[10] = {0};
	MPI_Datatype parts;
	if (faulty)
		lengths[1] = -1;
	MPI_Type_indexed(3, lengths, at, MPI_INT, &parts); /* ERROR */
	MPI_Type_commit(&parts);
	if (rank == 0)
		MPI_Send(data, 1, parts, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(data, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&parts);
	MPI_Finalize();
	return 0;
}
