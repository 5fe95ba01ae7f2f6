/* usage: class=deadlock ranks=4 hangs
 * Rank 0 collects three messages by Waitsome; rank 3 sends its own only when it is
 * told to, which the faulty program does after the loop and the twin inside. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int in[3], go = 1, done = 0, told = 0;
	if (rank == 0) {
		MPI_Request req[3];
		int which[3], n;
		for (int i = 0; i < 3; i++)
			MPI_Irecv(&in[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &req[i]);
		while (done < 3) {
			MPI_Waitsome(3, req, &n, which, MPI_STATUSES_IGNORE); /* ERROR */
			done += n;
			if (!faulty && !told) {
				MPI_Send(&go, 1, MPI_INT, 3, 1, MPI_COMM_WORLD);
				told = 1;
			}
		}
		if (!told)
			MPI_Send(&go, 1, MPI_INT, 3, 1, MPI_COMM_WORLD);
	} else {
		if (rank == 3)
			MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
