/* usage: class=leak ranks=4
 * Communicators of a loop are not freed. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int sum, in = rank;
	for (int i = 0; i < 5; i++) {
		MPI_Comm part;
		MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 2, rank, &part); /* ERROR */
		MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, part);
		if (!faulty)
			MPI_Comm_free(&part);
	}
	MPI_Finalize();
	return 0;
}
