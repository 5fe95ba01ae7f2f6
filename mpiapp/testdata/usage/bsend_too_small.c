/* usage: class=bsend_buffer ranks=2
 * The buffer has room for the data of one message where two are pending. The twin's
 * is as large as MPI_Pack_size and MPI_BSEND_OVERHEAD say, and not a byte more. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double out[40] = {0}, in[40];
	int each, bytes;
	void *room;
	MPI_Pack_size(40, MPI_DOUBLE, MPI_COMM_WORLD, &each);
	bytes = faulty ? each : 2 * (each + MPI_BSEND_OVERHEAD);
	room = malloc(bytes);
	if (rank == 0) {
		MPI_Buffer_attach(room, bytes);
		for (int i = 0; i < 2; i++)
			MPI_Bsend(out, 40, MPI_DOUBLE, 1, i, MPI_COMM_WORLD); /* ERROR */
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Buffer_detach(&room, &bytes);
	} else {
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = 0; i < 2; i++)
			MPI_Recv(in, 40, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	free(room);
	MPI_Finalize();
	return 0;
}
