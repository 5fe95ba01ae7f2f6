/* usage: class=collective_mismatch|truncation|type_mismatch ranks=4
 * Values on the edges of a directed graph, which its ranks send to the neighbours
 * behind them. An edge carries as many as the lower of its ranks plus one; a receiver
 * reckons with its own rank. In the twin both ask one function. */
#include <mpi.h>
#include <string.h>

enum { MOST = 4, ROOM = 32 };

struct graph {
	MPI_Comm comm;
	int in, out;
	int source[MOST], destination[MOST], in_weight[MOST], out_weight[MOST];
};

struct buffer {
	int count[MOST], first[MOST], used;
	double value[ROOM];
};

static int rank, size, faulty;

static void graph_open(struct graph *g)
{
	int next[2] = {(rank + 1) % size, (rank + 2) % size}, from[2] = {(rank + size - 1) % size,
		(rank + size - 2) % size};
	int weight[2] = {1, 1}, weighted;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, weight, 2, next, weight,
				       MPI_INFO_NULL, 0, &g->comm);
	MPI_Dist_graph_neighbors_count(g->comm, &g->in, &g->out, &weighted);
	MPI_Dist_graph_neighbors(g->comm, g->in, g->source, g->in_weight, g->out, g->destination, g->out_weight);
}

static int carried(int a, int b)
{
	return 1 + (a < b ? a : b);
}

static int taken(int from, int to)
{
	return faulty ? 1 + to : carried(from, to);
}

static void add(struct buffer *b, int i, int count)
{
	b->count[i] = count;
	b->first[i] = b->used;
	b->used += count;
}

static void lay_out(const struct graph *g, struct buffer *out, struct buffer *in)
{
	for (int i = 0; i < g->out; i++)
		add(out, i, carried(rank, g->destination[i]));
	for (int i = 0; i < g->in; i++)
		add(in, i, taken(g->source[i], rank));
}

static void exchange(const struct graph *g, struct buffer *out, struct buffer *in)
{
	for (int i = 0; i < out->used; i++)
		out->value[i] = 10 * rank + i;
	MPI_Neighbor_alltoallv(out->value, out->count, out->first, MPI_DOUBLE, in->value, in->count, in->first, /* ERROR */
			       MPI_DOUBLE, g->comm);
}

static double sum_of(const struct buffer *b)
{
	double sum = 0;
	for (int i = 0; i < b->used; i++)
		sum += b->value[i];
	return sum;
}

int main(int argc, char **argv)
{
	struct graph g;
	struct buffer out = {.used = 0}, in = {.used = 0};
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	graph_open(&g);
	lay_out(&g, &out, &in);
	exchange(&g, &out, &in);
	double mine = sum_of(&in), all;
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, g.comm);
	MPI_Comm_free(&g.comm);
	MPI_Finalize();
	return all < 0;
}
