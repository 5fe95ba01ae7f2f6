/* usage: class=potential_deadlock ranks=9
 * A boundary exchange of a 3 x 3 grid. Ranks with four neighbours post their
 * receives first; the others send first (the case of Umpire, section 6). In the
 * twin all post their receives first. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int near[4], n = 0, in[4], out = rank, x = rank % 3, y = rank / 3;
	MPI_Request req[4];
	if (x > 0) near[n++] = rank - 1;
	if (x < 2) near[n++] = rank + 1;
	if (y > 0) near[n++] = rank - 3;
	if (y < 2) near[n++] = rank + 3;
	if (faulty && n < 4) {
		for (int i = 0; i < n; i++)
			MPI_Send(&out, 1, MPI_INT, near[i], 0, MPI_COMM_WORLD); /* ERROR */
		for (int i = 0; i < n; i++)
			MPI_Recv(&in[i], 1, MPI_INT, near[i], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		for (int i = 0; i < n; i++)
			MPI_Irecv(&in[i], 1, MPI_INT, near[i], 0, MPI_COMM_WORLD, &req[i]);
		for (int i = 0; i < n; i++)
			MPI_Send(&out, 1, MPI_INT, near[i], 0, MPI_COMM_WORLD);
		MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
