/* usage: class=collective_mismatch ranks=4 may-hang
 * One rank of a line gives its neighbours three numbers where they take two. The
 * ends of the line have no neighbour there, which is right. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int dims[1] = {4}, open[1] = {0}, out[3] = {0}, in[6] = {0};
	MPI_Comm line;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, open, 0, &line);
	MPI_Neighbor_allgather(out, faulty && rank == 1 ? 3 : 2, MPI_INT, in, 2, MPI_INT, line); /* ERROR */
	MPI_Comm_free(&line);
	MPI_Finalize();
	return 0;
}
