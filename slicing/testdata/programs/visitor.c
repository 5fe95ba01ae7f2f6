// tune: rank=1 size=3 stop=MPI_Recv:1
// An iterator calls what it was given with a context that says the wrong source.
#include <mpi.h>
#include <stdio.h>

struct context {
	int count;
	int from;
};

typedef int (*visit)(int item, struct context *c);

static int add(int item, struct context *c)
{
	c->count += item;
	return 0;
}

static int fetch(int item, struct context *c)
{
	int v = 0;
	MPI_Status st;
	MPI_Recv(&v, 1, MPI_INT, c->from, item, MPI_COMM_WORLD, &st); // stop
	c->count += v;
	return v < 0;
}

static int each(const int *items, int n, visit f, struct context *c)
{
	for (int i = 0; i < n; i++) // slice
		if (f(items[i], c)) // slice
			return i;
	return n;
}

int main(int argc, char **argv)
{
	int rank, items[3];
	struct context c;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	for (int i = 0; i < 3; i++) // slice
		items[i] = 10 + i; // slice
	c.count = 0;
	c.from = rank + 2; // root
	visit f = rank == 0 ? add : fetch; // slice
	each(items, 3, f, &c); // slice
	printf("%d\n", c.count);
	MPI_Finalize();
	return 0;
}
