// tune: rank=1 size=4 stop=MPI_Recv:2
// A list of sources holds a rank twice.
#include <mpi.h>
#include <cstdio>
#include <vector>

static std::vector<int> sources(int rank, int size)
{
	std::vector<int> out; // slice
	for (int i = 0; i < size; i++) // slice
		if (i != rank) // slice
			out.push_back(i % 2); // root
	return out; // slice
}

static double energy(int n)
{
	double e = 0;
	for (int i = 0; i < n; i++)
		e += 1.0 / (1 + i);
	return e;
}

int main(int argc, char **argv)
{
	int rank, size, v = 0, sum = 0;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	std::vector<int> from = sources(rank, size); // slice
	double e = energy(size);
	for (std::size_t i = 0; i < from.size(); i++) { // slice
		MPI_Recv(&v, 1, MPI_INT, from[i], 5, MPI_COMM_WORLD, &st); // stop
		sum += v;
	}
	std::printf("%d %g\n", sum, e);
	MPI_Finalize();
	return 0;
}
