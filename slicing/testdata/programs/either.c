// tune: rank=2 size=3 stop=MPI_Recv:1
// One of two conditions for an exchange is wrong.
#include <mpi.h>
#include <stdio.h>

static int bits(int x)
{
	int n = 0; // slice
	for (; x > 0; x >>= 1) // slice
		n++; // slice
	return n; // slice
}

static int sum(const int *v, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += v[i];
	return s;
}

static int turn(int *v, int n, int needed, int from)
{
	MPI_Status st;
	int s = sum(v, n);
	if (needed) // slice
		MPI_Recv(v, n, MPI_INT, from, 2, MPI_COMM_WORLD, &st); // stop
	return s;
}

int main(int argc, char **argv)
{
	int rank, size, v[4] = {1, 2, 3, 4};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int b = bits(size * 16); // slice
	int needed = b < 4 || rank > 1; // root
	int s = turn(v, 4, needed, 0); // slice
	printf("%d\n", s);
	MPI_Finalize();
	return 0;
}
