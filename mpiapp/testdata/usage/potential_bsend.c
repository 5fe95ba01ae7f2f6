/* usage: class=potential_deadlock ranks=2
 * As head to head, but the twin attaches a buffer, which makes it safe. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double out[50] = {0}, in[50];
	int other = 1 - rank, bytes = (int)sizeof out + MPI_BSEND_OVERHEAD;
	void *room = malloc(bytes);
	MPI_Buffer_attach(room, bytes);
	for (int i = 0; i < 3; i++) {
		if (faulty) {
			MPI_Send(out, 50, MPI_DOUBLE, other, 0, MPI_COMM_WORLD); /* ERROR */
		} else {
			MPI_Bsend(out, 50, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
		}
		MPI_Recv(in, 50, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Buffer_detach(&room, &bytes);
		MPI_Buffer_attach(room, bytes);
	}
	MPI_Buffer_detach(&room, &bytes);
	free(room);
	MPI_Finalize();
	return 0;
}
