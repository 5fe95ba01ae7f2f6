// tune: rank=1 size=3 stop=MPI_Recv:2 data=2 peer=0:MPI_Send:1
// Records live in an arena and are copied as bytes: a record that is reused keeps
// the home of what was there before.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena {
	char *base;
	size_t used, room;
};

struct record {
	int key, home;
	int length, version;
	double stamp, weight;
};

struct slot {
	struct record rec;
	int lock, sharers;
	struct slot *chain;
};

static void *take(struct arena *a, size_t bytes)
{
	void *p = a->base + a->used; // slice
	if (a->used + bytes > a->room)
		exit(1);
	a->used += (bytes + 15) & ~(size_t)15; // slice
	return p; // slice
}

static void swap(struct record *p, struct record *q)
{
	struct record tmp;
	memcpy(&tmp, p, sizeof tmp); // slice
	memcpy(p, q, sizeof *p); // slice
	memcpy(q, &tmp, sizeof *q); // slice
}

static struct slot *store(struct arena *a, struct slot *chain, int key, int home)
{
	struct slot *s = take(a, sizeof *s); // slice
	memset(s, 0, sizeof *s);
	s->rec.key = key; // slice
	s->rec.home = home; // slice
	s->rec.length = 4 + key % 3; // slice
	s->chain = chain; // slice
	return s; // slice
}

static struct slot *lookup(struct slot *s, int key)
{
	while (s && s->rec.key != key) // slice
		s = s->chain; // slice
	return s; // slice
}

static void rekey(struct slot *all, int from, int to)
{
	struct slot *s = lookup(all, from); // slice
	struct record tmp = s->rec; // slice
	tmp.key = to; // slice
	tmp.version++;
	tmp.stamp = 2.5;
	s->rec = tmp; // root
}

static void share(struct slot *all, int rank)
{
	MPI_Status st;
	int n = all->rec.length;
	if (rank == 0)
		MPI_Send(&n, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	else
		MPI_Recv(&all->sharers, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &st);
}

int main(int argc, char **argv)
{
	int rank, size;
	double data[16] = {0};
	MPI_Status st;
	struct arena a = {malloc(4096), 0, 4096}; // slice
	struct slot *all = NULL; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	for (int key = 0; key < 6; key++) // slice
		all = store(&a, all, key, (rank + key) % size); // slice
	share(all, rank);
	swap(&lookup(all, 1)->rec, &lookup(all, 4)->rec); // slice
	rekey(all, 1, 9); // slice
	struct slot *s = lookup(all, 9); // slice
	if (s->rec.home != rank) // slice
		MPI_Recv(data, s->rec.length, MPI_DOUBLE, s->rec.home, s->rec.key, MPI_COMM_WORLD, &st); // stop
	printf("%g %g %d\n", data[0], s->rec.stamp, all->sharers);
	MPI_Finalize();
	return 0;
}
