// tune: rank=3 size=4 stop=MPI_Recv:1
// The last rank takes the remainder of a block distribution for its count.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long checksum(const char *name)
{
	long h = 5381;
	while (*name)
		h = h * 33 + *name++;
	return h;
}

int main(int argc, char **argv)
{
	int rank, size, n = 1000; // slice
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	long id = checksum(argv[0]);
	int rest = n % size; // slice
	int count = n / size; // slice
	if (rank == size - 1) // slice
		count = count + rest * size; // root
	double *part = malloc((n + rest) * sizeof *part);
	if (rank > 0) { // slice
		MPI_Recv(part, count, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, &st); // stop
		printf("%ld: got %d\n", id, count);
	}
	free(part);
	MPI_Finalize();
	return 0;
}
