/* usage: class=deadlock ranks=2 hangs
 * Both ranks look at what comes before they send anything. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int out = rank, in, n, other = 1 - rank;
	MPI_Status st;
	if (!faulty && rank == 1)
		MPI_Send(&out, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
	MPI_Probe(other, 5, MPI_COMM_WORLD, &st); /* ERROR */
	MPI_Get_count(&st, MPI_INT, &n);
	MPI_Recv(&in, n, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (faulty || rank == 0)
		MPI_Send(&out, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
