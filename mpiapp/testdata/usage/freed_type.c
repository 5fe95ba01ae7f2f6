/* usage: class=invalid_type|invalid_argument ranks=2
 * A type is used through a copy of its handle after it was freed. The twin frees it
 * while the send is pending. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int data[4] = {0};
	MPI_Datatype pair, copy;
	MPI_Request req;
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	copy = pair;
	if (faulty)
		MPI_Type_free(&pair); /* ERROR */
	if (rank == 0)
		MPI_Isend(data, 2, copy, 1, 0, MPI_COMM_WORLD, &req);
	else
		MPI_Irecv(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &req);
	if (!faulty)
		MPI_Type_free(&pair);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
