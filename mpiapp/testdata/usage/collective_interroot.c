/* usage: class=collective_mismatch ranks=4 may-hang
 * Clients send their parts to a server on an intercommunicator; a second process of the
 * server's group names a rank as if it were a client. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, local;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm mine, inter;
	int server = rank % 2 == 0;
	MPI_Comm_split(MPI_COMM_WORLD, server, rank, &mine);
	MPI_Comm_rank(mine, &local);
	MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, server ? 1 : 0, 1, &inter);
	int part = rank, parts[2] = {0, 0};
	if (!server)
		MPI_Gather(&part, 1, MPI_INT, NULL, 0, MPI_INT, 1, inter);
	else if (local == 1)
		MPI_Gather(NULL, 0, MPI_INT, parts, 1, MPI_INT, MPI_ROOT, inter);
	else
		MPI_Gather(&part, 1, MPI_INT, parts, 1, MPI_INT, faulty ? 0 : MPI_PROC_NULL, inter); /* ERROR */
	MPI_Comm_free(&inter);
	MPI_Comm_free(&mine);
	MPI_Finalize();
	return 0;
}
