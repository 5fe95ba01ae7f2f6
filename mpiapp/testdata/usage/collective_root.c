/* usage: class=collective_mismatch ranks=3 may-hang
 * Every rank names itself as the root; the twin agrees on one first. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int word = rank, root = rank;
	if (!faulty)
		MPI_Allreduce(&rank, &root, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	MPI_Bcast(&word, 1, MPI_INT, root, MPI_COMM_WORLD); /* ERROR */
	MPI_Finalize();
	return 0;
}
