// tune: rank=1 size=4 stop=MPI_Recv:2
// Cells are sorted by a key before they are dealt to the ranks: the permutation
// is kept, and where its inverse is meant there is the permutation again.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NX 4
#define NY 3
#define GHOSTS 16
#define TAG_GHOST 17

typedef struct {
	int n;
	int *xadj;
	int *adj;
} graph_t;

typedef struct {
	double key;
	int cell;
} rec_t;

typedef struct {
	int per, lo, hi;
	int *perm;
	int *iperm;
} part_t;

static void *need(size_t n, size_t each)
{
	void *p = calloc(n, each); // slice
	if (!p) { // slice
		perror("calloc");
		exit(1);
	}
	return p; // slice
}

static void build_graph(graph_t *g, int nx, int ny)
{
	int x, y, c, m;
	g->n = nx * ny; // slice
	g->xadj = need(g->n + 1, sizeof *g->xadj); // slice
	g->adj = need(4 * g->n, sizeof *g->adj); // slice
	m = 0; // slice
	for (y = 0; y < ny; y++) { // slice
		for (x = 0; x < nx; x++) { // slice
			c = x + y * nx; // slice
			g->xadj[c] = m; // slice
			if (x > 0) // slice
				g->adj[m++] = c - 1; // slice
			if (x < nx - 1) // slice
				g->adj[m++] = c + 1; // slice
			if (y > 0) // slice
				g->adj[m++] = c - nx; // slice
			if (y < ny - 1) // slice
				g->adj[m++] = c + nx; // slice
		}
	}
	g->xadj[g->n] = m; // slice
}

static int by_key(const void *a, const void *b)
{
	const rec_t *p = a; // slice
	const rec_t *q = b; // slice
	if (p->key < q->key) // slice
		return -1; // slice
	if (p->key > q->key) // slice
		return 1; // slice
	return p->cell - q->cell; // slice
}

static void renumber(const graph_t *g, int nx, part_t *p)
{
	rec_t *r = need(g->n, sizeof *r); // slice
	int i;
	p->perm = need(g->n, sizeof *p->perm); // slice
	p->iperm = need(g->n, sizeof *p->iperm); // slice
	for (i = 0; i < g->n; i++) { // slice
		r[i].cell = i; // slice
		r[i].key = i % nx * 0.75 + i / nx * 0.5; // slice
	}
	qsort(r, g->n, sizeof *r, by_key); // slice
	for (i = 0; i < g->n; i++) { // slice
		p->perm[i] = r[i].cell; // slice
		p->iperm[i] = p->perm[i]; // root
	}
	free(r);
}

static void deal(const graph_t *g, part_t *p, int rank, int size)
{
	p->per = (g->n + size - 1) / size; // slice
	p->lo = rank * p->per; // slice
	p->hi = p->lo + p->per; // slice
	if (p->hi > g->n) // slice
		p->hi = g->n; // slice
}

static void count_cut(const graph_t *g, const part_t *p, int rank, int *cut)
{
	int i, e;
	for (i = p->lo; i < p->hi; i++) { // slice
		int c = p->perm[i]; // slice
		for (e = g->xadj[c]; e < g->xadj[c + 1]; e++) { // slice
			int owner = p->iperm[g->adj[e]] / p->per; // slice
			if (owner != rank) // slice
				cut[owner]++; // slice
		}
	}
}

static void exchange(const int *cut, int size, const double *mine, double *ghost)
{
	MPI_Status st;
	int q;
	for (q = 0; q < size; q++)
		if (cut[q] > 0)
			MPI_Send(mine, GHOSTS, MPI_DOUBLE, q, TAG_GHOST, MPI_COMM_WORLD);
	for (q = 0; q < size; q++) // slice
		if (cut[q] > 0) // slice
			MPI_Recv(ghost + q * GHOSTS, GHOSTS, MPI_DOUBLE, q, TAG_GHOST, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	int rank, size, i;
	graph_t graph;
	part_t part;
	int *cut;
	double mine[GHOSTS], *ghost, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	build_graph(&graph, NX, NY); // slice
	renumber(&graph, NX, &part); // slice
	deal(&graph, &part, rank, size); // slice
	cut = need(size, sizeof *cut); // slice
	ghost = need(size * GHOSTS, sizeof *ghost); // slice
	for (i = 0; i < GHOSTS; i++)
		mine[i] = rank + 0.1 * i;
	count_cut(&graph, &part, rank, cut); // slice
	exchange(cut, size, mine, ghost); // slice
	for (i = 0; i < size * GHOSTS; i++)
		sum += ghost[i];
	printf("%d: %d cells, %g\n", rank, part.hi - part.lo, sum);
	free(ghost);
	free(cut);
	MPI_Finalize();
	return 0;
}
