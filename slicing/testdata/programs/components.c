// tune: rank=2 size=4 stop=MPI_Recv:1
// Connected parts are found by union and find; the root of a part is taken after one
// step only.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct edge {
	int a, b;
	struct edge *next;
};

struct graph {
	int n;
	struct edge *edges;
	int *parent, *weight;
};

static void connect(struct graph *g, int a, int b)
{
	struct edge *e = malloc(sizeof *e); // slice
	if (!e)
		abort();
	e->a = a; // slice
	e->b = b; // slice
	e->next = g->edges; // slice
	g->edges = e; // slice
}

static int find(const struct graph *g, int i)
{
	if (g->parent[i] != i) // root
		i = g->parent[i]; // slice
	return i; // slice
}

static void unite(struct graph *g, int a, int b)
{
	int x = find(g, a), y = find(g, b); // slice
	if (x == y) // slice
		return; // slice
	g->parent[y] = x; // slice
	g->weight[x] += g->weight[y]; // slice
}

static void parts(struct graph *g)
{
	g->parent = malloc(g->n * sizeof(int)); // slice
	g->weight = malloc(g->n * sizeof(int)); // slice
	if (!g->parent || !g->weight)
		abort();
	for (int i = 0; i < g->n; i++) { // slice
		g->parent[i] = i; // slice
		g->weight[i] = 1; // slice
	}
	for (const struct edge *e = g->edges; e; e = e->next) // slice
		unite(g, e->a, e->b); // slice
}

static void collect(const struct graph *g, int rank, int size)
{
	int x;
	MPI_Status st;
	int heavy = g->weight[find(g, rank)]; // slice
	for (int r = 0; r < size && heavy > 2; r++) // slice
		if (find(g, r) != find(g, rank)) // slice
			MPI_Recv(&x, 1, MPI_INT, r, 1, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	struct graph g = {0}; // slice
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	g.n = size; // slice
	for (int i = size - 1; i > 0; i--) // slice
		connect(&g, i, i - 1); // slice
	parts(&g); // slice
	collect(&g, rank, size); // slice
	printf("%d\n", g.n);
	MPI_Finalize();
	return 0;
}
