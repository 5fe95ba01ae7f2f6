/* Rank 0 of a job accepts a connection of rank 1: each side makes the
 * intercommunicator from a communicator of its own. Both broadcast on it and
 * exchange messages, twice, as MPI asks. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value = 3;
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm both;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2; i++) {
		if (rank == 0) {
			MPI_Open_port(MPI_INFO_NULL, port);
			MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
			MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &both);
			MPI_Close_port(port);
			MPI_Send(&value, 1, MPI_INT, 0, i, both);
		} else {
			MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &both);
			MPI_Recv(&value, 1, MPI_INT, 0, i, both, MPI_STATUS_IGNORE);
		}
		MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, both);
		MPI_Comm_disconnect(&both);
	}
	MPI_Finalize();
	return 0;
}
