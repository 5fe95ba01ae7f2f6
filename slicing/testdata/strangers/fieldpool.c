// tune: rank=0 size=6 stop=MPI_Recv:2
// Fields behind integer handles, their values from a pool, on a grid of two by
// three ranks: the place of a rank in the grid is unfolded with the wrong extent.
#include <mpi.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

typedef int fp_handle;

#define FP_SLOTS 8
#define FP_INDEX(h) ((h) & 0xff)
#define FP_AGE(h) ((h) >> 8)

struct fp_pool {
	double *base;
	size_t used, total;
};

struct fp_grid {
	int rank, size;
	int dims[2];
	int wraps[2];
};

struct fp_side {
	int rank; /* none is -1 */
	int tag;
	double *ghost;
};

struct fp_field {
	int age, inuse, width;
	double *values;
	struct fp_side side[2][2];
};

static struct fp_pool pool;
static struct fp_grid grid;
static struct fp_field table[FP_SLOTS];

static double *fp_take(size_t n)
{
	double *p = pool.base + pool.used; // slice
	assert(pool.used + n <= pool.total); // slice
	pool.used += n; // slice
	return p; // slice
}

static void fp_setup(int rank, int size, int rows)
{
	pool.total = 512; // slice
	pool.base = calloc(pool.total, sizeof *pool.base); // slice
	pool.used = 0; // slice
	if (!pool.base) // slice
		exit(1);
	grid.rank = rank; // slice
	grid.size = size;
	grid.dims[0] = rows; // slice
	grid.dims[1] = size / rows; // slice
	grid.wraps[0] = 0; // slice
	grid.wraps[1] = 1; // slice
}

static void fp_place(const struct fp_grid *g, int c[2])
{
	c[0] = g->rank / g->dims[1]; // slice
	c[1] = g->rank % g->dims[1]; // slice
}

static int fp_rank_at(const struct fp_grid *g, const int c[2])
{
	return c[0] * g->dims[0] + c[1]; // root
}

static int fp_neighbour(const struct fp_grid *g, int dim, int step)
{
	int c[2];
	fp_place(g, c); // slice
	c[dim] += step; // slice
	if (c[dim] < 0 || c[dim] >= g->dims[dim]) { // slice
		if (!g->wraps[dim]) // slice
			return -1; // slice
		c[dim] = (c[dim] + g->dims[dim]) % g->dims[dim]; // slice
	}
	return fp_rank_at(g, c); // slice
}

static fp_handle fp_new(int n, int width)
{
	int i, dim, up;
	for (i = 0; i < FP_SLOTS && table[i].inuse; i++) // slice
		;
	if (i == FP_SLOTS) // slice
		return -1; // slice
	struct fp_field *f = &table[i]; // slice
	f->inuse = 1; // slice
	f->age++; // slice
	f->width = width; // slice
	f->values = fp_take((size_t)n); // slice
	for (dim = 0; dim < 2; dim++) { // slice
		for (up = 0; up < 2; up++) { // slice
			struct fp_side *s = &f->side[dim][up]; // slice
			s->rank = fp_neighbour(&grid, dim, up ? 1 : -1); // slice
			s->tag = 20 * i + 2 * dim + up; // slice
			s->ghost = fp_take((size_t)width); // slice
		}
	}
	return f->age << 8 | i; // slice
}

static struct fp_field *fp_find(fp_handle h)
{
	if (h < 0 || FP_INDEX(h) >= FP_SLOTS) // slice
		return NULL; // slice
	struct fp_field *f = &table[FP_INDEX(h)]; // slice
	return f->inuse && f->age == FP_AGE(h) ? f : NULL; // slice
}

static void fp_delete(fp_handle h)
{
	struct fp_field *f = fp_find(h); // slice
	if (f) // slice
		f->inuse = 0; // slice
}

/* fp_shift sends up (or down) in a dimension and receives from the other side. */
static int fp_shift(fp_handle h, int dim, int up)
{
	struct fp_field *f = fp_find(h); // slice
	MPI_Status st;
	if (!f) // slice
		return -1;
	struct fp_side *to = &f->side[dim][up];
	struct fp_side *from = &f->side[dim][!up]; // slice
	if (to->rank >= 0)
		MPI_Send(f->values, f->width, MPI_DOUBLE, to->rank, to->tag, MPI_COMM_WORLD);
	if (from->rank >= 0) // slice
		MPI_Recv(from->ghost, f->width, MPI_DOUBLE, from->rank, from->tag ^ 1, MPI_COMM_WORLD, &st); // stop
	return 0;
}

int main(int argc, char **argv)
{
	int rank, size, i;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	fp_setup(rank, size, 2); // slice
	fp_handle scratch = fp_new(24, 4); // slice
	fp_handle wind = fp_new(48, 6); // slice
	fp_delete(scratch); // slice
	fp_handle height = fp_new(48, 6); // slice
	for (i = 0; i < 48; i++)
		fp_find(height)->values[i] = rank + 0.01 * i;
	fp_shift(height, 1, 1);
	fp_shift(height, 0, 0); // slice
	fp_shift(wind, 0, 1);
	printf("%d: %g, %zu of the pool\n", rank, fp_find(height)->side[0][1].ghost[0], pool.used);
	free(pool.base);
	MPI_Finalize();
	return 0;
}
