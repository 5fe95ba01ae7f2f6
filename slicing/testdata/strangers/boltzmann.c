// tune: rank=1 size=3 stop=MPI_Recv:5 data=3 peer=0:MPI_Send:1
// A lattice as a structure of arrays: links to solid cells count as links to the
// next rank, since the mask of solid cells has the wrong bit.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define FLUID 0x01
#define SOLID 0x02
#define INLET 0x04
#define EDGE 0x10
#define BLOCKED (INLET | 0x20)

struct lattice {
	int nx, ny;
	unsigned char *type;
	double *rho, *ux, *uy;
	int *link;
	int *moments;
};

static void allocate(struct lattice *l, int nx, int ny)
{
	size_t n = (size_t)nx * ny; // slice
	l->nx = nx; // slice
	l->ny = ny; // slice
	l->type = malloc(n * sizeof *l->type); // slice
	l->rho = malloc(n * sizeof *l->rho);
	l->ux = malloc(n * sizeof *l->ux);
	l->uy = malloc(n * sizeof *l->uy);
	l->link = malloc(n * sizeof *l->link); // slice
	l->moments = malloc(n * sizeof *l->moments);
}

static void geometry(struct lattice *l)
{
	for (int y = 0; y < l->ny; y++) // slice
		for (int x = 0; x < l->nx; x++) { // slice
			int i = y * l->nx + x; // slice
			l->type[i] = (x + y) % 5 == 0 ? SOLID : FLUID; // slice
			if (x == l->nx - 1) // slice
				l->type[i] |= EDGE; // slice
			l->rho[i] = 1;
			l->ux[i] = l->uy[i] = 0;
		}
}

static void links(struct lattice *l, int rank, int size)
{
	int n = l->nx * l->ny; // slice
	for (int i = 0; i < n; i++) { // slice
		l->link[i] = -1; // slice
		if ((l->type[i] & EDGE) && !(l->type[i] & BLOCKED)) // root
			l->link[i] = (rank + 1) % size; // slice
	}
}

static int count(const struct lattice *l, int peer)
{
	int n = 0; // slice
	for (int i = 0; i < l->nx * l->ny; i++) // slice
		if (l->link[i] == peer) // slice
			n++; // slice
	return n; // slice
}

static double collide(struct lattice *l, double tau)
{
	double sum = 0;
	for (int i = 0; i < l->nx * l->ny; i++) {
		double u2 = l->ux[i] * l->ux[i] + l->uy[i] * l->uy[i];
		l->rho[i] += (1 - 1.5 * u2 - l->rho[i]) / tau + l->moments[i] * 1e-3;
		sum += l->rho[i];
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size;
	double sum = 0, buf[256];
	MPI_Status st;
	struct lattice l;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	allocate(&l, 8, 6); // slice
	geometry(&l); // slice
	for (int step = 0; step < 4; step++) { // slice
		if (rank == 0)
			MPI_Send(l.moments, l.nx, MPI_INT, 1, step, MPI_COMM_WORLD);
		else
			MPI_Recv(l.moments, l.nx, MPI_INT, rank - 1, step, MPI_COMM_WORLD, &st);
		sum += collide(&l, 0.8);
	}
	links(&l, rank, size); // slice
	int next = (rank + 1) % size; // slice
	int n = count(&l, next); // slice
	MPI_Recv(buf, n, MPI_DOUBLE, next, 9, MPI_COMM_WORLD, &st); // stop
	for (int i = 0; i < n; i++)
		sum += buf[i];
	printf("%g\n", sum);
	MPI_Finalize();
	return 0;
}
