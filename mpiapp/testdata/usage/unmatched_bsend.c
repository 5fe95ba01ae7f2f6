/* usage: class=unmatched_message ranks=2
 * A buffered message is never received; in the twin it is, by a wildcard. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = rank, bytes = 64 + MPI_BSEND_OVERHEAD;
	void *room = malloc(bytes);
	MPI_Buffer_attach(room, bytes);
	if (rank == 1)
		MPI_Bsend(&word, 1, MPI_INT, 0, 8, MPI_COMM_WORLD); /* ERROR */
	if (rank == 0 && !faulty)
		MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&room, &bytes);
	free(room);
	MPI_Finalize();
	return 0;
}
