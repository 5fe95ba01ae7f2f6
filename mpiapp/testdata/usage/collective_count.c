/* usage: class=collective_mismatch ranks=4
 * The root broadcasts 8 numbers where the others expect 10. In the twin the root
 * sends one element of a type that has all 10. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int data[10] = {0};
	MPI_Datatype ten;
	MPI_Type_contiguous(10, MPI_INT, &ten);
	MPI_Type_commit(&ten);
	if (faulty)
		MPI_Bcast(data, rank == 0 ? 8 : 10, MPI_INT, 0, MPI_COMM_WORLD); /* ERROR */
	else if (rank == 0)
		MPI_Bcast(data, 1, ten, 0, MPI_COMM_WORLD);
	else
		MPI_Bcast(data, 10, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Type_free(&ten);
	MPI_Finalize();
	return 0;
}
