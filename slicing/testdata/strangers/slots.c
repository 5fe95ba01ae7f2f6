// tune: rank=1 size=2 stop=compute
// Jobs take slots of a ring by their flags: a job that fails is not taken back, and in
// the end the search for a free slot goes round for ever.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 4

enum { BUSY = 0x1, LOCKED = 0x2, DONE = 0x4, BROKEN = 0x8 };

struct job {
	int id, cost, status;
	double result;
};

struct slot {
	unsigned flags;
	struct job *job;
	double usage[2];
};

struct pool {
	struct slot slot[SLOTS];
	unsigned cursor;
	long taken, released;
};

struct stats {
	int good, bad;
	double sum;
};

struct limits {
	int cost, weight;
};

static void limits_parse(struct limits *l, const char *text)
{
	int cost, weight;
	l->cost = 6; // slice
	l->weight = 1; // slice
	if (sscanf(text, "%d/%d", &cost, &weight) == 2) { // slice
		l->cost = cost; // slice
		l->weight = weight; // slice
	}
}

static unsigned search(const struct pool *p)
{
	unsigned i = p->cursor; // slice
	while (p->slot[i].flags & (BUSY | LOCKED)) i = (i + 1) % SLOTS; // stop
	return i; // slice
}

static struct slot *take(struct pool *p, struct job *j)
{
	unsigned i = search(p); // slice
	struct slot *s = &p->slot[i]; // slice
	s->flags = BUSY; // slice
	s->job = j; // slice
	s->usage[0] += j->cost;
	p->cursor = (i + 1) % SLOTS; // slice
	p->taken++;
	return s; // slice
}

static void give(struct pool *p, struct slot *s)
{
	s->flags &= ~(unsigned)BUSY; // slice
	s->flags |= DONE; // slice
	s->job = NULL;
	p->released++;
}

static int work(struct job *j, const struct limits *l)
{
	double x = 1;
	if (j->cost * l->weight > l->cost) // slice
		return -1; // slice
	for (int i = 0; i < j->cost; i++)
		x = 0.5 * (x + 2 / x);
	j->result = x;
	return 0; // slice
}

static int run(struct pool *p, struct job *j, const struct limits *l)
{
	struct slot *s = take(p, j); // slice
	j->status = work(s->job, l); // slice
	if (j->status < 0) { // slice
		s->flags |= BROKEN; // root
		return -1;
	}
	give(p, s); // slice
	return 0;
}

static struct job *jobs_make(int n, int rank)
{
	struct job *list = calloc((size_t)n, sizeof *list); // slice
	for (int i = 0; i < n; i++) { // slice
		list[i].id = i;
		list[i].cost = 1 + (i * 5 + rank) % 9; // slice
	}
	return list; // slice
}

int main(int argc, char **argv)
{
	int rank, size, n = 32; // slice
	struct pool pool;
	struct stats stats = {0, 0, 0};
	struct limits limits;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	memset(&pool, 0, sizeof pool); // slice
	limits_parse(&limits, "5/1"); // slice
	struct job *list = jobs_make(n, rank); // slice
	for (int i = 0; i < n; i++) { // slice
		if (run(&pool, &list[i], &limits) < 0) // slice
			stats.bad++;
		else
			stats.good++;
		stats.sum += list[i].result;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	printf("%d %d %g %d\n", stats.good, stats.bad, stats.sum / size, list[0].id);
	free(list);
	MPI_Finalize();
	return 0;
}
