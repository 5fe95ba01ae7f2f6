// tune: rank=1 size=3 stop=MPI_Recv:2 data=4 peer=0:MPI_Send:1
// Atoms as a structure of arrays: a flag that was cleared with the wrong mask
// makes an atom look like a ghost, whose owner never sends.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOVED = 1, FROZEN = 2, GHOST = 4, LEAVES = 8 };

struct atoms {
	int n;
	double *x, *v;
	int *owner, *charge;
	unsigned *flags;
};

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n, size); // slice
	if (!p)
		exit(1);
	return p; // slice
}

static void atoms_create(struct atoms *a, int n)
{
	a->n = n; // slice
	a->x = zeroed(n, sizeof *a->x); // slice
	a->v = zeroed(n, sizeof *a->v); // slice
	a->owner = zeroed(n, sizeof *a->owner); // slice
	a->charge = zeroed(n, sizeof *a->charge);
	a->flags = zeroed(n, sizeof *a->flags); // slice
}

static void lattice(struct atoms *a, int rank)
{
	int i;
	for (i = 0; i < a->n; i++) { // slice
		a->x[i] = i * 0.75; // slice
		a->v[i] = i % 2 ? 0.5 : -0.25; // slice
		a->owner[i] = rank; // slice
		a->flags[i] = i % 3 ? MOVED : MOVED | GHOST; // slice
	}
}

static void drift(struct atoms *a, double dt)
{
	int i;
	for (i = 0; i < a->n; i++) // slice
		if (!(a->flags[i] & FROZEN)) // slice
			a->x[i] += dt * a->v[i]; // slice
}

static void classify(struct atoms *a, double lo, double hi, int size)
{
	int i;
	for (i = 0; i < a->n; i++) { // slice
		a->flags[i] &= ~(MOVED | LEAVES); // root
		if (a->x[i] < lo || a->x[i] > hi) { // slice
			a->flags[i] |= LEAVES; // slice
			a->owner[i] = (a->owner[i] + 1) % size; // slice
		}
	}
}

static void charges(struct atoms *a, int rank, int size)
{
	MPI_Status st;
	int i, total = 0;
	for (i = 0; i < a->n; i++)
		total += a->charge[i] + i;
	if (rank == 0)
		MPI_Send(&total, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
	else
		MPI_Recv(a->charge, a->n, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, &st);
}

static void refresh(struct atoms *a, double *buf)
{
	MPI_Status st;
	int i;
	for (i = 0; i < a->n; i++) { // slice
		if ((a->flags[i] & (GHOST | LEAVES)) != (GHOST | LEAVES)) // slice
			continue;
		MPI_Recv(buf, 3, MPI_DOUBLE, a->owner[i], 2, MPI_COMM_WORLD, &st); // stop
		a->v[i] = buf[0];
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	double buf[3] = {0};
	struct atoms a;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	atoms_create(&a, 10); // slice
	lattice(&a, rank); // slice
	drift(&a, 0.1); // slice
	charges(&a, rank, size);
	classify(&a, 0.0, 5.0, size); // slice
	refresh(&a, buf); // slice
	printf("%g %d\n", a.x[0] + a.v[1], a.charge[2]);
	MPI_Finalize();
	return 0;
}
