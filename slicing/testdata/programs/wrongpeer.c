// tune: rank=2 size=4 stop=MPI_Recv:1
// A ring whose left neighbour is computed wrongly.
#include <mpi.h>
#include <stdio.h>

static double relax(double *u, int n)
{
	double sum = 0;
	for (int i = 1; i < n - 1; i++) {
		u[i] = 0.5 * (u[i - 1] + u[i + 1]);
		sum += u[i];
	}
	return sum;
}

static int neighbour(int rank, int size, int step)
{
	int peer = rank + step; // slice
	if (peer >= size) // slice
		peer = 0; // slice
	if (peer < 0) // slice
		peer = size; // root
	return peer; // slice
}

int main(int argc, char **argv)
{
	int rank, size;
	double u[100], ghost = 0;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int right = neighbour(rank, size, 1);
	int left = neighbour(rank, size, -1); // slice
	for (int i = 0; i < 100; i++)
		u[i] = rank + i;
	for (int it = 0; it < 10; it++) { // slice
		double sum = relax(u, 100);
		MPI_Send(&u[98], 1, MPI_DOUBLE, right, 5, MPI_COMM_WORLD);
		MPI_Recv(&ghost, 1, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &st); // stop
		u[0] = ghost;
		printf("%d %g\n", it, sum);
	}
	MPI_Finalize();
	return 0;
}
