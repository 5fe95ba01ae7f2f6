// tune: rank=2 size=4 stop=MPI_Bcast:1
// The root of a broadcast comes out of a configuration that was filled wrongly.
#include <mpi.h>
#include <stdio.h>

struct config {
	int verbose;
	int root;
	double dt;
	int steps;
};

static void defaults(struct config *c)
{
	c->verbose = 1;
	c->dt = 0.01;
	c->steps = 10; // slice
	c->root = 0; // slice
}

static void adapt(struct config *c, int size, int rank)
{
	if (size > 2) // slice
		c->root = rank - 1; // root
	if (c->verbose)
		c->dt = c->dt / size;
}

static double advance(double t, const struct config *c)
{
	return t + c->dt;
}

int main(int argc, char **argv)
{
	struct config c;
	int rank, size;
	double t = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	defaults(&c); // slice
	adapt(&c, size, rank); // slice
	for (int i = 0; i < c.steps; i++) { // slice
		t = advance(t, &c);
		MPI_Bcast(&t, 1, MPI_DOUBLE, c.root, MPI_COMM_WORLD); // stop
	}
	printf("%g\n", t);
	MPI_Finalize();
	return 0;
}
