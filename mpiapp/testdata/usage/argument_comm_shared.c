/* usage: class=invalid_argument ranks=4
 * Two solvers share the communicator of their group, each with a handle in its own
 * struct. The first frees it when it is done, before the second takes its last
 * norm. In the twin a count of its users says who frees it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 8, SWEEPS = 3 };

struct shared {
	MPI_Comm comm;
	int users;
};

struct solver {
	MPI_Comm comm;
	struct shared *shared;
	double x[POINTS], norm;
};

static int faulty;

static struct shared *share(int colour)
{
	struct shared *s = malloc(sizeof *s);
	MPI_Comm_split(MPI_COMM_WORLD, colour, 0, &s->comm);
	s->users = 0;
	return s;
}

static void solver_open(struct solver *s, struct shared *shared, double start)
{
	s->shared = shared;
	s->comm = shared->comm;
	shared->users++;
	for (int i = 0; i < POINTS; i++)
		s->x[i] = start + i;
}

static void sweep(struct solver *s)
{
	double mine = 0;
	for (int i = 1; i < POINTS; i++) {
		s->x[i] = 0.5 * (s->x[i] + s->x[i - 1]);
		mine += s->x[i] * s->x[i];
	}
	MPI_Allreduce(&mine, &s->norm, 1, MPI_DOUBLE, MPI_SUM, s->comm);
}

static void solver_close(struct solver *s)
{
	s->shared->users--;
	if (faulty || s->shared->users == 0)
		if (s->shared->comm != MPI_COMM_NULL)
			MPI_Comm_free(&s->shared->comm); /* ERROR */
}

static void check(struct solver *s)
{
	double least;
	MPI_Reduce(&s->norm, &least, 1, MPI_DOUBLE, MPI_MIN, 0, s->comm);
}

int main(int argc, char **argv)
{
	struct solver pressure, heat;
	struct shared *shared;
	int rank;
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	shared = share(rank % 2);
	solver_open(&pressure, shared, 1);
	solver_open(&heat, shared, 300);
	for (int i = 0; i < SWEEPS; i++) {
		sweep(&pressure);
		sweep(&heat);
	}
	check(&pressure);
	solver_close(&pressure);
	check(&heat);
	solver_close(&heat);
	free(shared);
	MPI_Finalize();
	return 0;
}
