/* usage: class=leak ranks=4
 * The communicator that an intercommunicator was merged into stays. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int half = rank / 2, n;
	MPI_Comm mine, both, all;
	MPI_Comm_split(MPI_COMM_WORLD, half, rank, &mine);
	MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, half ? 0 : 2, 9, &both);
	MPI_Intercomm_merge(both, half, &all); /* ERROR */
	MPI_Comm_size(all, &n);
	MPI_Comm_free(&both);
	MPI_Comm_free(&mine);
	if (!faulty)
		MPI_Comm_free(&all);
	MPI_Finalize();
	return 0;
}
