/* usage: class=invalid_argument ranks=2
 * A message from no buffer at all. The twin sends from MPI_BOTTOM, with a type
 * that holds the address. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word[4] = {0}, four = 4, *out = faulty ? NULL : malloc(sizeof word);
	MPI_Aint at;
	MPI_Datatype there;
	MPI_Get_address(word, &at);
	MPI_Type_create_hindexed(1, &four, &at, MPI_INT, &there);
	MPI_Type_commit(&there);
	if (rank == 1) {
		MPI_Recv(word, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (faulty) {
		MPI_Send(out, 4, MPI_INT, 1, 0, MPI_COMM_WORLD); /* ERROR */
	} else {
		MPI_Send(MPI_BOTTOM, 1, there, 1, 0, MPI_COMM_WORLD);
	}
	MPI_Type_free(&there);
	free(out);
	MPI_Finalize();
	return 0;
}
