// tune: rank=1 size=2 stop=MPI_Recv:2 data=10 peer=0:MPI_Send:1
// The example of PDI §4.4: what rank 0 sends decides what rank 1 waits for.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, x, y, z = 3, result; // slice
	double work[64], norm = 0;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	for (int i = 0; i < 64; i++)
		work[i] = i * 0.5;
	if (rank == 0) { // slice
		x = 10; // root
		MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); // slice
	} else {
		MPI_Recv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &st); // slice
		result = y * z; // slice
		MPI_Recv(work, result, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &st); // stop
		for (int i = 0; i < 64; i++)
			norm += work[i];
		printf("%d %g\n", result, norm);
	}
	MPI_Finalize();
	return 0;
}
