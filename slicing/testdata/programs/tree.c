// report: rank=5 size=8 stop=MPI_Recv:1
// A binomial tree in which a rank takes the wrong bit for its parent.
#include <mpi.h>
#include <stdio.h>

static int lowest_bit(int x)
{
	int bit = 1; // slice
	while (!(x & bit)) // slice
		bit <<= 1; // slice
	return bit; // slice
}

static void relay(double *v, int n, int rank, int size)
{
	MPI_Status st;
	int bit = size;
	if (rank != 0) { // slice
		bit = lowest_bit(rank); // slice
		int parent = rank + bit; // root
		MPI_Recv(v, n, MPI_DOUBLE, parent, 30, MPI_COMM_WORLD, &st); // stop
	}
	for (bit >>= 1; bit > 0; bit >>= 1)
		if (rank + bit < size)
			MPI_Send(v, n, MPI_DOUBLE, rank + bit, 30, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank, size;
	double v[4] = {1, 2, 3, 4}, s = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	for (int i = 0; i < 4; i++)
		s += v[i];
	relay(v, 4, rank, size); // slice
	printf("%g %g\n", s, v[0]);
	MPI_Finalize();
	return 0;
}
