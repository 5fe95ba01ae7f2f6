// tune: rank=1 size=4 stop=MPI_Recv:1
// A closure over several variables, handed to a template, uses the wrong one.
#include <mpi.h>
#include <cstdio>

template <typename Action> static int retry(int times, Action action)
{
	int done = 0;
	for (int i = 1; i <= times; i++) // slice
		done += action(i); // slice
	return done;
}

int main(int argc, char **argv)
{
	int rank, size, sum = 0, failures = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int step = 2; // slice
	int offset = (rank + 3) * step; // root
	int n = retry(size, [&](int i) { // slice
		int v = 0;
		MPI_Status st;
		int from = (offset + i * step) % size; // slice
		if (from == rank) // slice
			return 0;
		MPI_Recv(&v, 1, MPI_INT, from, 6, MPI_COMM_WORLD, &st); // stop
		sum += v;
		failures += v < 0;
		return 1;
	});
	std::printf("%d %d %d\n", n, sum, failures);
	MPI_Finalize();
	return 0;
}
