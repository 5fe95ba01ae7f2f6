// tune: rank=1 size=4 stop=MPI_Recv:2 data=1
// A preconditioner is an object with a table of functions, set up by its type; the
// one for blocks takes the wrong neighbour.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY (-1)

struct pc;

struct pcops {
	int (*setup)(struct pc *);
	int (*apply)(struct pc *, const double *, double *);
	int (*partner)(const struct pc *, int);
};

struct pc {
	struct pcops ops[1];
	void *data;
	int rank, size, ready;
};

struct blocks {
	int n, overlap;
};

static int blocks_setup(struct pc *pc)
{
	struct blocks *b = malloc(sizeof *b); // slice
	if (!b)
		return 1;
	b->n = 4;
	b->overlap = pc->rank > 0; // slice
	pc->data = b; // slice
	return 0;
}

static int blocks_partner(const struct pc *pc, int way)
{
	const struct blocks *b = pc->data; // slice
	int to = pc->rank + way * b->overlap; // slice
	return to <= pc->size ? to : NOBODY; // root
}

static int blocks_apply(struct pc *pc, const double *x, double *y)
{
	MPI_Status st;
	struct blocks *b = pc->data;
	int up = pc->ops->partner(pc, 1), down = pc->ops->partner(pc, -1); // slice
	if (down != NOBODY)
		MPI_Send(x, b->n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD);
	if (up != NOBODY) // slice
		MPI_Recv(y, b->n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &st); // stop
	return 0;
}

static int none_apply(struct pc *pc, const double *x, double *y)
{
	(void)pc;
	memcpy(y, x, 4 * sizeof *y);
	return 0;
}

static void settype(struct pc *pc, const char *type)
{
	memset(pc->ops, 0, sizeof pc->ops); // slice
	if (!strcmp(type, "blocks")) { // slice
		pc->ops->setup = blocks_setup; // slice
		pc->ops->apply = blocks_apply; // slice
		pc->ops->partner = blocks_partner; // slice
	} else {
		pc->ops->apply = none_apply; // slice
	}
}

static void solve(struct pc *pc, double *x, double *y, int steps)
{
	if (!pc->ready && pc->ops->setup) { // slice
		pc->ops->setup(pc); // slice
		pc->ready = 1; // slice
	}
	for (int i = 0; i < steps; i++) // slice
		pc->ops->apply(pc, x, y); // slice
}

int main(int argc, char **argv)
{
	struct pc pc = {.ready = 0}; // slice
	double x[4] = {1}, y[4] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &pc.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &pc.size); // slice
	settype(&pc, argc > 1 ? argv[1] : "blocks"); // slice
	solve(&pc, x, y, 3); // slice
	printf("%g\n", y[0]);
	MPI_Finalize();
	return 0;
}
