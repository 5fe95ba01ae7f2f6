// tune: rank=2 size=4 stop=MPI_Recv:1
// Ghost nodes are counted in a hash table with chains; a key that is there already is
// counted under the first of its chain.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 4

struct entry {
	long key;
	int count, owner;
	struct entry *next;
};

struct table {
	struct entry *bucket[BUCKETS];
	int used;
};

static struct entry *lookup(struct table *t, long key)
{
	struct entry *e = t->bucket[key % BUCKETS]; // slice
	while (e && e->key != key) // slice
		e = e->next; // slice
	return e; // slice
}

static void count(struct table *t, long key, int owner)
{
	struct entry *e = lookup(t, key); // slice
	if (e) { // slice
		t->bucket[key % BUCKETS]->count++; // root
		return; // slice
	}
	e = malloc(sizeof *e); // slice
	if (!e)
		abort();
	e->key = key; // slice
	e->count = 1; // slice
	e->owner = owner;
	e->next = t->bucket[key % BUCKETS]; // slice
	t->bucket[key % BUCKETS] = e; // slice
	t->used++;
}

static void element(struct table *t, int first, int rank)
{
	static const int stencil[] = {0, 1, 8, 9};
	for (int i = 0; i < 4; i++) // slice
		count(t, first + stencil[i], rank); // slice
}

static int expected(struct table *t, long key)
{
	struct entry *e = lookup(t, key); // slice
	return e ? e->count : 0; // slice
}

static void gather(struct table *t, int rank, int size)
{
	double x[8];
	MPI_Status st;
	int n = expected(t, 9); // slice
	for (int from = 0; from < size; from++) // slice
		if (from != rank && n-- > 1) // slice
			MPI_Recv(x, 8, MPI_DOUBLE, from, 3, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	static struct table t;
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	for (int i = 0; i < 4; i++) // slice
		element(&t, i % 2 + 8 * (i / 2), rank); // slice
	gather(&t, rank, size); // slice
	printf("%d\n", t.used);
	MPI_Finalize();
	return 0;
}
