// tune: rank=1 size=4 stop=MPI_Recv:1
// The columns of a sparse matrix that others own are gathered by owner; the offsets of
// the owners are those of the lower end of the row.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix {
	int rows, first;
	int *start, *col;
	double *val;
};

struct ghosts {
	int peers;
	int *count, *offset;
	double *x;
};

static void *room(size_t n)
{
	void *p = calloc(n ? n : 1, 8); // slice
	if (!p)
		abort();
	return p; // slice
}

static void assemble(struct matrix *a, int rank, int size, int rows)
{
	int total = rows * size, n = 0; // slice
	a->rows = rows; // slice
	a->first = rank * rows; // slice
	a->start = room(rows + 1); // slice
	a->col = room(3 * rows); // slice
	a->val = room(3 * rows);
	for (int i = 0; i < rows; i++) { // slice
		a->start[i] = n; // slice
		for (int d = -1; d <= 1; d++) { // slice
			int j = a->first + i + d; // slice
			if (j < 0 || j >= total) // slice
				continue; // slice
			a->val[n] = d ? -1 : 2;
			a->col[n++] = j; // slice
		}
	}
	a->start[rows] = n; // slice
}

static int owner(const struct matrix *a, int col)
{
	return (col - 1) / a->rows; // root
}

static void analyse(struct ghosts *g, const struct matrix *a, int rank, int size)
{
	g->count = room(size); // slice
	g->offset = room(size + 1);
	for (int i = 0; i < a->rows; i++) // slice
		for (int k = a->start[i]; k < a->start[i + 1]; k++) { // slice
			int o = owner(a, a->col[k]); // slice
			if (o != rank) // slice
				g->count[o]++; // slice
		}
	for (int p = 0; p < size; p++) {
		g->offset[p + 1] = g->offset[p] + g->count[p];
		g->peers += g->count[p] > 0;
	}
	g->x = room(g->offset[size]);
}

static void update(struct ghosts *g, int size)
{
	MPI_Status st;
	for (int p = 0; p < size; p++) // slice
		if (g->count[p] > 0) // slice
			MPI_Recv(g->x + g->offset[p], g->count[p], MPI_DOUBLE, p, 1, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	struct matrix a;
	struct ghosts g = {0}; // slice
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	assemble(&a, rank, size, 4); // slice
	analyse(&g, &a, rank, size); // slice
	update(&g, size); // slice
	printf("%d %g\n", g.peers, a.val[0]);
	MPI_Finalize();
	return 0;
}
