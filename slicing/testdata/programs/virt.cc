// report: rank=2 size=4 stop=MPI_Recv:1
// A factory picks the wrong policy object, whose virtual method says the source.
#include <mpi.h>
#include <cstdio>

struct Policy {
	virtual ~Policy() {}
	virtual int source(int rank, int size) const = 0;
};

struct Tree : Policy {
	int source(int rank, int) const override { return (rank - 1) / 2; }
};

struct Ring : Policy {
	int source(int rank, int size) const override
	{
		return (rank + 1) % size; // root
	}
};

static Policy *choose(int size)
{
	if (size > 8) // slice
		return new Tree;
	return new Ring; // slice
}

static int receive(const Policy &p, int rank, int size)
{
	int value = 0;
	MPI_Status st;
	int from = p.source(rank, size); // slice
	MPI_Recv(&value, 1, MPI_INT, from, 2, MPI_COMM_WORLD, &st); // stop
	return value;
}

static int weigh(int n)
{
	int w = 0;
	for (int i = 0; i < n; i++)
		w += i & 3;
	return w;
}

int main(int argc, char **argv)
{
	int rank, size, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Policy *p = choose(size); // slice
	sum += weigh(size);
	if (rank > 0) // slice
		sum += receive(*p, rank, size); // slice
	std::printf("%d\n", sum);
	delete p;
	MPI_Finalize();
	return 0;
}
