/* usage: class=truncation ranks=2
 * Ten numbers for five places; the twin has room for more than come. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int out[10] = {0}, in[20];
	if (rank == 0)
		MPI_Send(out, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Recv(in, faulty ? 5 : 20, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Finalize();
	return 0;
}
