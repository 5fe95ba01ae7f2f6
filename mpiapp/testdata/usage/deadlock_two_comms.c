/* usage: class=deadlock ranks=2 hangs
 * Barriers on two communicators, in another order on each rank. The twin does as
 * much with communicators that have no rank in common. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm a, b;
	if (faulty) {
		MPI_Comm_dup(MPI_COMM_WORLD, &a);
		MPI_Comm_dup(MPI_COMM_WORLD, &b);
		MPI_Barrier(rank == 0 ? a : b); /* ERROR */
		MPI_Barrier(rank == 0 ? b : a);
	} else {
		MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &a);
		MPI_Comm_dup(a, &b);
		if (rank == 0)
			MPI_Barrier(a);
		MPI_Barrier(b);
		MPI_Barrier(a);
	}
	MPI_Comm_free(&a);
	MPI_Comm_free(&b);
	MPI_Finalize();
	return 0;
}
