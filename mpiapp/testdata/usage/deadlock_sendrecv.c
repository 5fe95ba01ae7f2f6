/* usage: class=deadlock ranks=3 hangs
 * A shift to the right that expects its message from the right too. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int out = rank, in, right = (rank + 1) % size, left = (rank + size - 1) % size;
	int from = faulty ? right : left;
	MPI_Sendrecv(&out, 1, MPI_INT, right, 0, &in, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Finalize();
	return 0;
}
