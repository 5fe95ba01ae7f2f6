/* usage: class=invalid_argument|invalid_type ranks=2
 * A type handle that was reset when the type was freed. The twin keeps a duplicate. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word[2] = {0};
	MPI_Datatype pair, same;
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Type_dup(pair, &same);
	MPI_Type_free(&pair);
	if (rank == 0)
		MPI_Send(word, 1, faulty ? pair : same, 1, 0, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Recv(word, 1, same, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&same);
	MPI_Finalize();
	return 0;
}
