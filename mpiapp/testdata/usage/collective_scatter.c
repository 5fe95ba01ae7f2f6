/* usage: class=collective_mismatch ranks=4 may-hang
 * The root scatters five numbers to each, and each takes four; the twin scatters
 * by Scatterv, with nothing for one rank. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int out[20] = {0}, in[5], n[4] = {5, 5, 0, 5}, at[4] = {0, 5, 10, 15};
	if (faulty)
		MPI_Scatter(out, 5, MPI_INT, in, rank == 0 ? 5 : 4, MPI_INT, 0, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Scatterv(out, n, at, MPI_INT, rank == 2 ? NULL : in, n[rank], MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
