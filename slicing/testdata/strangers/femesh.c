// tune: rank=1 size=4 stop=MPI_Recv:3 data=1
// Shared nodes are sorted and cut into one message for each owner: the comparison sorts
// by the number of the node first, and an owner comes up more than once.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORNERS 4
#define MAXLINK 16

struct element {
	int node[CORNERS];
	int material;
	double stiffness[CORNERS];
};

struct shared {
	int owner, node;
	double weight;
};

struct link {
	int peer, first, count;
	double value[8];
};

struct mesh {
	int rank, size, nx;
	int nelement, nshared, nlink;
	struct element *element;
	struct shared *shared;
	struct link link[MAXLINK];
};

static int node_owner(const struct mesh *m, int node)
{
	int row = node / (m->nx + 1), column = node % (m->nx + 1); // slice
	return (column + row % 2) * m->size / (m->nx + 2); // slice
}

static void build_elements(struct mesh *m, int nx, int ny)
{
	m->nx = nx; // slice
	m->nelement = 0; // slice
	m->element = calloc((size_t)(nx * ny), sizeof *m->element); // slice
	for (int e = 0; e < nx * ny; e++) { // slice
		int x = e % nx, y = e / nx; // slice
		if (x * m->size / nx != m->rank) // slice
			continue;
		struct element *el = &m->element[m->nelement++]; // slice
		for (int c = 0; c < CORNERS; c++) { // slice
			el->node[c] = (y + c / 2) * (nx + 1) + x + c % 2; // slice
			el->stiffness[c] = 1.0 + 0.5 * c;
		}
		el->material = y % 2;
	}
}

static int compare(const void *a, const void *b)
{
	const struct shared *s = a, *t = b; // slice
	if (s->node != t->node) // root
		return s->node < t->node ? -1 : 1; // slice
	return (s->owner > t->owner) - (s->owner < t->owner); // slice
}

static int known(const struct mesh *m, int node)
{
	for (int i = 0; i < m->nshared; i++) // slice
		if (m->shared[i].node == node) // slice
			return 1; // slice
	return 0; // slice
}

static void find_shared(struct mesh *m)
{
	m->nshared = 0; // slice
	m->shared = calloc((size_t)m->nelement * CORNERS + 1, sizeof *m->shared); // slice
	for (int e = 0; e < m->nelement; e++) // slice
		for (int c = 0; c < CORNERS; c++) { // slice
			int node = m->element[e].node[c]; // slice
			if (node_owner(m, node) == m->rank || known(m, node)) // slice
				continue;
			struct shared *s = &m->shared[m->nshared++]; // slice
			s->node = node; // slice
			s->owner = node_owner(m, node); // slice
			s->weight = m->element[e].stiffness[c];
		}
	qsort(m->shared, (size_t)m->nshared, sizeof *m->shared, compare); // slice
}

static void cut(struct mesh *m)
{
	struct link *l = NULL; // slice
	m->nlink = 0; // slice
	for (int i = 0; i < m->nshared; i++) { // slice
		if (!l || l->peer != m->shared[i].owner) { // slice
			if (m->nlink == MAXLINK) // slice
				break;
			l = &m->link[m->nlink++]; // slice
			l->peer = m->shared[i].owner; // slice
			l->first = i;
			l->count = 0; // slice
		}
		l->count++; // slice
	}
}

static double assemble(struct mesh *m)
{
	MPI_Status st;
	double sum = 0;
	for (int i = 0; i < m->nlink; i++) { // slice
		struct link *l = &m->link[i]; // slice
		MPI_Recv(l->value, l->count, MPI_DOUBLE, l->peer, 33, MPI_COMM_WORLD, &st); // stop
		sum += l->value[0] * m->shared[l->first].weight;
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct mesh m;
	MPI_Init(&argc, &argv);
	memset(&m, 0, sizeof m);
	MPI_Comm_rank(MPI_COMM_WORLD, &m.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &m.size); // slice
	build_elements(&m, 8, 3); // slice
	find_shared(&m); // slice
	cut(&m); // slice
	printf("%g\n", assemble(&m)); // slice
	MPI_Finalize();
	return 0;
}
