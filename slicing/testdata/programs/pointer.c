// report: rank=1 size=3 stop=MPI_Recv:1
// The source is handed back through a pointer, from a search that ends wrongly.
#include <mpi.h>
#include <stdio.h>

static int owner[6] = {0, 0, 1, 1, 2, 2}; // slice

static int find_owner(int cell, int *who, int *cost)
{
	*cost = 0;
	for (int i = 0; i < 6; i++) { // slice
		*cost += i;
		if (i >= cell) { // slice
			*who = owner[i] + 1; // root
			return 1;
		}
	}
	*who = -1; // slice
	return 0;
}

static void request(int cell, double *value)
{
	int who, cost;
	MPI_Status st;
	int ok = find_owner(cell, &who, &cost); // slice
	if (!ok)
		printf("no owner\n");
	MPI_Send(&cell, 1, MPI_INT, who, 1, MPI_COMM_WORLD);
	MPI_Recv(value, 1, MPI_DOUBLE, who, 2, MPI_COMM_WORLD, &st); // stop
	*value += cost;
}

int main(int argc, char **argv)
{
	int rank;
	double v = 0, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	if (rank == 1) { // slice
		int cell = 2 * rank; // slice
		request(cell, &v); // slice
		sum += v;
	}
	printf("%g\n", sum);
	MPI_Finalize();
	return 0;
}
