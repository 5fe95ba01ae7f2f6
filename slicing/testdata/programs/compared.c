// tune: rank=1 size=4 stop=MPI_Recv:2
// Messages are put in order by qsort; the comparison of equal levels looks at the
// wrong end.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct msg {
	int level, from, to, length;
};

struct plan {
	struct msg *m;
	int n, room;
};

static int order(const void *a, const void *b)
{
	const struct msg *x = a, *y = b; // slice
	if (x->level != y->level) // slice
		return x->level - y->level; // slice
	return x->to - y->from; // root
}

static void add(struct plan *p, int level, int from, int to)
{
	if (p->n == p->room) { // slice
		p->room = p->room ? 2 * p->room : 4; // slice
		p->m = realloc(p->m, p->room * sizeof *p->m); // slice
		if (!p->m)
			abort();
	}
	struct msg *m = &p->m[p->n++]; // slice
	m->level = level; // slice
	m->from = from; // slice
	m->to = to; // slice
	m->length = 2;
}

static void schedule(struct plan *p, int rank, int size)
{
	for (int level = 0; level < 2; level++) // slice
		for (int i = 1; i < size; i++) { // slice
			add(p, level, rank, (rank + i) % size); // slice
			add(p, level, (rank + i) % size, rank); // slice
		}
	qsort(p->m, p->n, sizeof *p->m, order); // slice
}

static void perform(const struct plan *p, int rank)
{
	double x[2] = {0};
	MPI_Status st;
	for (int i = 0; i < p->n; i++) { // slice
		const struct msg *m = &p->m[i]; // slice
		if (m->from == rank) // slice
			MPI_Send(x, m->length, MPI_DOUBLE, m->to, m->level, MPI_COMM_WORLD);
		else
			MPI_Recv(x, 2, MPI_DOUBLE, m->from, m->level, MPI_COMM_WORLD, &st); // stop
	}
}

int main(int argc, char **argv)
{
	struct plan p = {0}; // slice
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	schedule(&p, rank, size); // slice
	perform(&p, rank); // slice
	free(p.m);
	MPI_Finalize();
	return 0;
}
