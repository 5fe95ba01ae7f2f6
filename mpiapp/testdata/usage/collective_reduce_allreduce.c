/* usage: class=collective_mismatch ranks=4 may-hang
 * Rank 0 reduces where the others reduce to all (Umpire, Figure 6). In the twin it
 * does so too, on a communicator of its own. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int in = rank, out = 0;
	MPI_Comm comm;
	MPI_Comm_split(MPI_COMM_WORLD, !faulty && rank == 0, rank, &comm);
	if (rank == 0)
		MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm); /* ERROR */
	else
		MPI_Reduce(&in, &out, 1, MPI_INT, MPI_SUM, 0, comm); /* ERROR */
	MPI_Comm_free(&comm);
	MPI_Finalize();
	return 0;
}
