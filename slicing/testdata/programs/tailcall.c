// tune: rank=1 size=4 stop=MPI_Bcast:1
// The wrapper of MPI_Bcast ends in a jump to it when it is optimised, so it is not on the stack.
#include <mpi.h>
#include <stdio.h>

typedef struct {
	int n, leader;
} Group;

static int leader_of(int rank, int size)
{
	return rank < size / 2 ? 0 : size / 2; // root
}

__attribute__((noinline)) static int share(int *buf, int count, int root)
{
	return MPI_Bcast(buf, count, MPI_INT, root, MPI_COMM_WORLD); // stop
}

int main(int argc, char **argv)
{
	int rank, size, step[2] = {0, 0};
	Group g;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	g.n = size; // slice
	g.leader = leader_of(rank, g.n); // slice
	if (share(step, 2, g.leader) != MPI_SUCCESS) // slice
		return 1;
	printf("%d: %d %d\n", rank, step[0], step[1]);
	MPI_Finalize();
	return 0;
}
