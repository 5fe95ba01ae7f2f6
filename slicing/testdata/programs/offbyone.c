// tune: rank=0 size=4 stop=MPI_Recv:4
// The collector waits for one message more than there are workers.
#include <mpi.h>
#include <stdio.h>

static int score(int rank)
{
	int s = 1;
	for (int i = 0; i < rank; i++)
		s = s * 7 % 11;
	return s;
}

int main(int argc, char **argv)
{
	int rank, size, best = -1, s;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	if (rank == 0) { // slice
		int workers = size - 1; // slice
		for (int i = 0; i <= workers; i++) { // root
			MPI_Recv(&s, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &st); // stop
			if (s > best)
				best = s;
		}
		printf("best %d\n", best);
	} else {
		s = score(rank);
		MPI_Send(&s, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
