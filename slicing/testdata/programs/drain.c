// tune: rank=1 size=2 stop=MPI_Recv:4 data=3,1,2 peer=0:MPI_Send:1
// Loops that receive come before where it hangs: what they receive does not decide it, but how often they go round.
#include <mpi.h>
#include <stdio.h>

static int pending(int rank, int size)
{
	int n = 0; // slice
	for (int i = 0; i < size; i++) // slice
		if (i != rank) // slice
			n++; // slice
	return n + 2; // root
}

static double collect(double *sum, int n, int from)
{
	double max = 0;
	for (int i = 0; i < n; i++) { // slice
		int value;
		MPI_Recv(&value, 1, MPI_INT, from, 9, MPI_COMM_WORLD, (MPI_Status *)0); // stop
		sum[i % 4] += value;
		if (value > max)
			max = value;
	}
	return max;
}

int main(int argc, char **argv)
{
	int rank, size;
	double sum[4] = {0, 0, 0, 0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int limit;
	if (rank == 0) { // slice
		for (int i = 0; i < 3; i++)
			MPI_Send(&i, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&limit, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, (MPI_Status *)0);
		double max = collect(sum, pending(rank, size), 0); // slice
		if (max > limit)
			printf("%g\n", max);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	printf("%g\n", sum[0]);
	MPI_Finalize();
	return 0;
}
