/* usage: class=type_mismatch ranks=2
 * Signed characters meet unsigned ones, of a wildcard receive. The twin receives
 * fewer elements than there is room for, and only part of the last one. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	signed char out[6] = {0};
	unsigned char in[8];
	MPI_Datatype four;
	MPI_Status st;
	int n;
	MPI_Type_contiguous(4, MPI_SIGNED_CHAR, &four);
	MPI_Type_commit(&four);
	if (rank == 1) {
		MPI_Send(out, 6, MPI_SIGNED_CHAR, 0, 3, MPI_COMM_WORLD); /* ERROR */
	} else if (faulty) {
		MPI_Recv(in, 8, MPI_UNSIGNED_CHAR, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &st); /* ERROR */
	} else {
		MPI_Recv(in, 2, four, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &st);
		MPI_Get_elements(&st, four, &n);
	}
	MPI_Type_free(&four);
	MPI_Finalize();
	return 0;
}
