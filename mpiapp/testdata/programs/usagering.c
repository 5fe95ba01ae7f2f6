/* A ring: each round an MPI_Irecv, an MPI_Isend and an MPI_Waitall, every tenth an MPI_Allreduce. "ring ROUNDS [VARY]": with
 * VARY the lengths and buffers differ from round to round. */
#include <mpi.h>
#include <stdlib.h>

static double from[4096], to[4096];

int main(int argc, char **argv)
{
	int rank, size, rounds = atoi(argv[1]), vary = argc > 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < rounds; i++) {
		MPI_Request r[2];
		int n = vary ? 1 + i % 97 : 4, at = vary ? i % 3989 : 0;
		MPI_Irecv(from + at, n, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(to + at, n, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		if (i % 10 == 0) {
			double one = 1, sum;
			MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		}
	}
	MPI_Finalize();
}
