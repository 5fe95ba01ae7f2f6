// report: rank=1 size=2 stop=MPI_Recv:1
// A wrong mode sends the rank into a branch that nobody else takes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int levels(int n)
{
	int l = 0; // slice
	while (n > 4) { // slice
		n /= 2; // slice
		l++; // slice
	}
	return l; // slice
}

static double smooth(double *v, int n)
{
	double r = 0;
	for (int i = 0; i < n; i++)
		r += v[i] * v[i];
	return r;
}

static double cycle(double *v, int n, int coarse, int rank)
{
	double r = smooth(v, n), g = 0;
	MPI_Status st;
	if (coarse) // slice
		MPI_Recv(v, n, MPI_DOUBLE, rank - 1, 9, MPI_COMM_WORLD, &st); // stop
	MPI_Allreduce(&r, &g, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return g;
}

int main(int argc, char **argv)
{
	int rank, n = 64; // slice
	double v[64] = {1}, g;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	int depth = levels(n); // slice
	int coarse = depth > 3 || rank > 0; // root
	g = cycle(v, n, coarse, rank); // slice
	printf("%g\n", g);
	MPI_Finalize();
	return 0;
}
