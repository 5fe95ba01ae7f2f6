/* usage: class=bsend_buffer ranks=2
 * A buffered send with no buffer attached. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	char room[64 + MPI_BSEND_OVERHEAD];
	int word = 1, bytes = sizeof room;
	void *back = room;
	if (rank == 0) {
		if (!faulty)
			MPI_Buffer_attach(room, bytes);
		MPI_Bsend(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* ERROR */
		if (!faulty)
			MPI_Buffer_detach(&back, &bytes);
	} else {
		MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
