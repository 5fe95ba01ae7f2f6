/* Starts two processes, which send each other other types than they receive. */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Comm other;
	int rank, word = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&other);
	if (other == MPI_COMM_NULL) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
		for (int i = 0; i < 2; i++)
			MPI_Recv(&word, 1, MPI_INT, i, 1, other, MPI_STATUS_IGNORE);
	} else {
		float number = 1;
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		if (rank == 0)
			MPI_Send(&number, 1, MPI_FLOAT, 1, 2, MPI_COMM_WORLD);
		else
			MPI_Recv(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&word, 1, MPI_INT, 0, 1, other);
	}
	MPI_Comm_disconnect(&other);
	MPI_Finalize();
	return 0;
}
