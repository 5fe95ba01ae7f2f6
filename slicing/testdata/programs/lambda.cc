// report: rank=3 size=4 stop=MPI_Recv:1
// A template visits the blocks with a lambda that captured the wrong base.
#include <mpi.h>
#include <cstdio>

template <typename F> static void each_block(int first, int last, F visit)
{
	for (int b = first; b < last; b++) // slice
		visit(b); // slice
}

static int owner(int block, int per_rank)
{
	return block / per_rank; // slice
}

static int trace;

int main(int argc, char **argv)
{
	int rank, size, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int per_rank = 2; // slice
	int base = rank * per_rank + 1; // root
	trace = argc;
	each_block(0, size, [&](int b) { // slice
		int v = 0;
		MPI_Status st;
		int from = owner(base + b, per_rank); // slice
		if (from != rank) { // slice
			MPI_Recv(&v, 1, MPI_INT, from, b, MPI_COMM_WORLD, &st); // stop
			sum += v;
		}
		trace++;
	});
	std::printf("%d %d\n", sum, trace);
	MPI_Finalize();
	return 0;
}
