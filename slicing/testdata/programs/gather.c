// report: rank=0 size=4 stop=MPI_Recv:2
// The collector skips itself, but in the wrong place of a permuted order.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define MAXRANKS 16

static void permute(int *order, int n, int shift)
{
	for (int i = 0; i < n; i++) // slice
		order[i] = (i + shift) % n; // slice
}

static int weight(const int *v, int n)
{
	int w = 0;
	for (int i = 0; i < n; i++)
		w ^= v[i] << (i & 3);
	return w;
}

int main(int argc, char **argv)
{
	int rank, size, order[MAXRANKS], got[MAXRANKS], total = 0;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	memset(got, 0, sizeof got);
	permute(order, size, size / 2); // slice
	if (rank != 0) { // slice
		total = weight(got, size);
		MPI_Send(&total, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
	} else {
		for (int i = 0; i < size; i++) { // slice
			if (i == rank) // root
				continue;
			MPI_Recv(&got[i], 1, MPI_INT, order[i], 3, MPI_COMM_WORLD, &st); // stop
		}
		printf("%d\n", weight(got, size));
	}
	MPI_Finalize();
	return 0;
}
