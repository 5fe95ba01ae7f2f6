/* usage: class=invalid_argument ranks=4
 * A broadcast from a rank beyond the last. The twin broadcasts through an
 * intercommunicator, where roots have names of their own. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int half = rank / 2, word = rank, root = half ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
	MPI_Comm mine, both;
	MPI_Comm_split(MPI_COMM_WORLD, half, rank, &mine);
	MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, half ? 0 : 2, 9, &both);
	if (faulty)
		MPI_Bcast(&word, 1, MPI_INT, 4, MPI_COMM_WORLD); /* ERROR */
	MPI_Bcast(&word, 1, MPI_INT, root, both);
	MPI_Comm_free(&both);
	MPI_Comm_free(&mine);
	MPI_Finalize();
	return 0;
}
