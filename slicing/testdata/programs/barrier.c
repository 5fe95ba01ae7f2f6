// report: rank=2 size=4 stop=MPI_Barrier:2
// One rank comes to a barrier once more, because of an integer division.
#include <mpi.h>
#include <stdio.h>

static int rounds(int work, int chunk)
{
	int n = work / chunk; // slice
	if (work % chunk) // slice
		n++; // slice
	return n; // slice
}

static double spend(int amount)
{
	double x = 0;
	for (int i = 0; i < amount; i++)
		x += 1.0 / (i + 1);
	return x;
}

int main(int argc, char **argv)
{
	int rank, size, total = 1001; // slice
	double x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int work = total / size; // slice
	if (rank == 2) // slice
		work += total % size; // root
	int n = rounds(work, 125); // slice
	for (int i = 0; i < n; i++) { // slice
		x += spend(i * 100);
		MPI_Barrier(MPI_COMM_WORLD); // stop
	}
	printf("%g\n", x);
	MPI_Finalize();
	return 0;
}
