/* usage: class=deadlock ranks=4 hangs
 * An exchange along the edges of a graph, one colour of edges after the other. On
 * each edge the lower rank sends and then receives, and the higher receives first;
 * with the test on the number of the edge in its place, both ends receive first. In
 * the twin it is on the ranks. */
#include <mpi.h>
#include <string.h>

enum { EDGES = 4, COLOURS = 2, VALUES = 3 };

struct edge {
	int low, high, colour;
};

struct mesh {
	struct edge edge[EDGES];
	double mine[VALUES], theirs[EDGES][VALUES];
};

static int rank, size, faulty;

static void build(struct mesh *m)
{
	for (int i = 0; i < EDGES; i++) {
		int next = (i + 1) % size;
		m->edge[i].low = i < next ? i : next;
		m->edge[i].high = i < next ? next : i;
		m->edge[i].colour = i % COLOURS;
	}
	for (int i = 0; i < VALUES; i++)
		m->mine[i] = 10 * rank + i;
}

static int mine(const struct edge *e)
{
	return e->low == rank || e->high == rank;
}

static int begins(const struct edge *e, int number)
{
	return faulty ? number % 2 == 1 : e->low == rank;
}

static void swap(struct mesh *m, int number)
{
	const struct edge *e = &m->edge[number];
	int other = e->low == rank ? e->high : e->low;
	if (begins(e, number)) {
		MPI_Ssend(m->mine, VALUES, MPI_DOUBLE, other, number, MPI_COMM_WORLD);
		MPI_Recv(m->theirs[number], VALUES, MPI_DOUBLE, other, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		return;
	}
	MPI_Recv(m->theirs[number], VALUES, MPI_DOUBLE, other, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Ssend(m->mine, VALUES, MPI_DOUBLE, other, number, MPI_COMM_WORLD);
}

static void exchange(struct mesh *m)
{
	for (int colour = 0; colour < COLOURS; colour++)
		for (int i = 0; i < EDGES; i++)
			if (m->edge[i].colour == colour && mine(&m->edge[i]))
				swap(m, i);
}

static void average(struct mesh *m)
{
	for (int i = 0; i < EDGES; i++)
		if (mine(&m->edge[i]))
			for (int v = 0; v < VALUES; v++)
				m->mine[v] = 0.75 * m->mine[v] + 0.25 * m->theirs[i][v];
}

int main(int argc, char **argv)
{
	struct mesh m;
	double all;
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	build(&m);
	for (int i = 0; i < 2; i++) {
		exchange(&m);
		average(&m);
	}
	MPI_Reduce(&m.mine[0], &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
