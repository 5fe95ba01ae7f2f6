/* usage: class=potential_deadlock ranks=2
 * Both ranks send before they receive, and only buffering lets them (Umpire,
 * Figure 7). The twin lets MPI do both at once. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int out[100] = {0}, in[100], other = 1 - rank;
	if (faulty) {
		MPI_Send(out, 100, MPI_INT, other, 0, MPI_COMM_WORLD); /* ERROR */
		MPI_Recv(in, 100, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Sendrecv(out, 100, MPI_INT, other, 0, in, 100, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
