// report: rank=0 size=2 stop=compute
// An iteration that cannot end: the tolerance became zero.
#include <mpi.h>
#include <stdio.h>

static double tolerance(int digits)
{
	double t = 1; // slice
	for (int i = 0; i < digits; i++) // slice
		t /= 10; // slice
	return t; // slice
}

static double refine(double x)
{
	volatile double y = x; // slice
	for (int i = 0; i < 1000; i++) // slice
		y = 0.5 * y + 0.25; // stop
	return y; // slice
}

static void iterate(double x0, double tol)
{
	double x = x0, err = 1; // slice
	long n = 0;
	while (err > tol) { // slice
		double y = refine(x); // slice
		err = (y - x) * (y - x) + 1e-3; // slice
		x = y; // slice
		n++;
	}
	printf("%ld\n", n);
}

int main(int argc, char **argv)
{
	int rank, digits = 6; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	double tol = tolerance(digits); // slice
	if (rank == 0) // slice
		tol = 0; // root
	iterate(1.0, tol); // slice
	MPI_Finalize();
	return 0;
}
