// tune: rank=1 size=4 stop=MPI_Recv:1
// A function object keeps references to the variables that say whom to wait for.
#include <mpi.h>
#include <cstdio>

struct Fetch {
	const int &source;
	int &sum;
	void operator()(int tag) const
	{
		int v = 0;
		MPI_Status st;
		if (tag > 0) // slice
			MPI_Recv(&v, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &st); // stop
		sum += v;
	}
};

template <typename F> static void repeat(int times, const F &f)
{
	for (int i = 0; i < times; i++) // slice
		f(i); // slice
}

static double idle(int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += i * 0.1;
	return s;
}

int main(int argc, char **argv)
{
	int rank, size, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int source = (rank * 2 + 3) % size; // root
	double s = idle(rank);
	Fetch f = {source, sum}; // slice
	repeat(size, f); // slice
	std::printf("%d %g\n", sum, s);
	MPI_Finalize();
	return 0;
}
