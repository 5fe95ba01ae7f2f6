/* usage: class=collective_mismatch ranks=4 may-hang
 * One rank has the barrier and the broadcast in the other order (Umpire, Figure 8). */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = rank;
	if (faulty && rank == 3) {
		MPI_Barrier(MPI_COMM_WORLD); /* ERROR */
		MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
	} else {
		MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD); /* ERROR */
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
