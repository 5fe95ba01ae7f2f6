/* usage: class=type_mismatch ranks=3
 * Deep in a vector of structures one rank has a long where the others have a
 * double, of the same size. */
#include <mpi.h>
#include <string.h>

static MPI_Datatype table(MPI_Datatype inner)
{
	int lengths[2] = {2, 1};
	MPI_Aint at[2] = {0, 8};
	MPI_Datatype members[2] = {MPI_INT, inner}, record, rows;
	MPI_Type_create_struct(2, lengths, at, members, &record);
	MPI_Type_vector(3, 2, 4, record, &rows);
	MPI_Type_commit(&rows);
	MPI_Type_free(&record);
	return rows;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	char out[192] = {0}, in[192];
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Datatype rows = table(faulty && rank == 2 ? MPI_LONG : MPI_DOUBLE);
	MPI_Sendrecv(out, 1, rows, right, 0, in, 1, rows, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Type_free(&rows);
	MPI_Finalize();
	return 0;
}
