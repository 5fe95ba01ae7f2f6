/* usage: class=collective_mismatch|deadlock ranks=3 may-hang
 * One rank leaves out a barrier and goes on to the reduction after it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int in = rank, out = 0;
	if (!faulty || rank != 1)
		MPI_Barrier(MPI_COMM_WORLD); /* ERROR */
	MPI_Reduce(&in, &out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); /* ERROR */
	MPI_Finalize();
	return 0;
}
