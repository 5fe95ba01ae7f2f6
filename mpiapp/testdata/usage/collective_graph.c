/* usage: class=collective_mismatch ranks=4
 * A graph of neighbours in which one rank lists a destination that does not know of it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int from[2] = {(rank + size - 1) % size, 1}, to[2] = {(rank + 1) % size, 3};
	int in = rank == 3 && !faulty ? 2 : 1, out = rank == 1 ? 2 : 1;
	int weights[2] = {1, 1};
	MPI_Comm graph;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from, weights, out, to, weights, /* ERROR */
		MPI_INFO_NULL, 0, &graph); /* ERROR */
	MPI_Barrier(graph);
	MPI_Comm_free(&graph);
	MPI_Finalize();
	return 0;
}
