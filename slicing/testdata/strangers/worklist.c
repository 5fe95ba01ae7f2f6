// tune: rank=0 size=4 stop=MPI_Recv:2 data=7
// A list of tasks whose nodes are made by copying a pattern: the pattern keeps
// the worker of the task before.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct spec {
	int worker, tag;
	int cost, retries;
	double bound;
	long id;
};

struct task {
	struct task *next;
	struct spec spec;
	double result;
};

struct list {
	struct task *head, *tail;
	int n;
};

static struct task *append(struct list *l, const struct spec *s)
{
	struct task *t = malloc(sizeof *t); // slice
	memset(t, 0, sizeof *t); // slice
	t->spec = *s; // slice
	if (l->tail) // slice
		l->tail->next = t; // slice
	else
		l->head = t; // slice
	l->tail = t; // slice
	l->n++; // slice
	return t;
}

static struct task *find(struct list *l, long id)
{
	for (struct task *t = l->head; t; t = t->next) // slice
		if (t->spec.id == id) // slice
			return t; // slice
	return NULL; // slice
}

static void pattern(struct spec *s)
{
	memset(s, 0, sizeof *s);
	s->worker = 1; // slice
	s->tag = 30; // slice
	s->bound = 1e-6;
}

static void plan(struct list *l, int ntasks, int size)
{
	struct spec tmp;
	pattern(&tmp); // slice
	for (int i = 0; i < ntasks; i++) { // slice
		tmp.id = 1000 + i; // slice
		tmp.cost = i * i % 7;
		if (tmp.cost > 3)
			tmp.retries++;
		if (i % 2 == 0) // root
			tmp.worker = 1 + i % (size - 1); // slice
		append(l, &tmp); // slice
	}
}

static double total(const struct list *l)
{
	double tmp = 0;
	for (const struct task *t = l->head; t; t = t->next)
		tmp += t->result + t->spec.bound * t->spec.retries;
	return tmp;
}

static void collect(struct list *l, long first, int n)
{
	MPI_Status st;
	int i;
	for (i = 0; i < n; i++) { // slice
		struct task *t = find(l, first + i); // slice
		if (!t) // slice
			break;
		MPI_Recv(&t->result, 1, MPI_DOUBLE, t->spec.worker, t->spec.tag, MPI_COMM_WORLD, &st); // stop
	}
}

int main(int argc, char **argv)
{
	int rank, size, i;
	double r = 0.5;
	struct list todo = {0}; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	plan(&todo, 6, size); // slice
	if (rank == 0) { // slice
		collect(&todo, 1000, todo.n); // slice
		printf("%g\n", total(&todo));
	} else {
		for (i = 0; i < todo.n; i++)
			if (i % (size - 1) == rank - 1)
				MPI_Send(&r, 1, MPI_DOUBLE, 0, 30, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
