/* usage: class=deadlock ranks=2 hangs
 * Rank 0 polls for a message that rank 1 sends only after an answer; in the twin
 * it is only late. */
#include <mpi.h>
#include <unistd.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = 7, flag = 0;
	if (rank == 0) {
		MPI_Request req;
		MPI_Irecv(&word, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &req);
		while (!flag) {
			MPI_Test(&req, &flag, MPI_STATUS_IGNORE); /* ERROR */
			usleep(100);
		}
		MPI_Send(&word, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
	} else {
		if (!faulty) {
			usleep(400000);
			MPI_Send(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
		}
		MPI_Recv(&word, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		if (faulty)
			MPI_Send(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
