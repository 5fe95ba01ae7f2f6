/* usage: class=invalid_argument ranks=3
 * The last rank sends to a neighbour that does not exist; the twin says that there
 * is none. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int out = rank, in = -1, right = rank + 1, left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	if (!faulty && right == size)
		right = MPI_PROC_NULL;
	MPI_Sendrecv(&out, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Finalize();
	return 0;
}
