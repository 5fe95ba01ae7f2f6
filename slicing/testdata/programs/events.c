// tune: rank=1 size=2 stop=MPI_Recv:1
// A table of actions, filled by a function, leads to the wrong one.
#include <mpi.h>
#include <stdio.h>

typedef void (*action)(int key, int *value);

struct entry {
	int key;
	action run;
	int *value;
};

static struct entry table[8];
static int used;

static void show(int key, int *value)
{
	printf("%d %d\n", key, *value);
}

static void await(int key, int *value)
{
	MPI_Status st;
	MPI_Recv(value, 1, MPI_INT, 0, key, MPI_COMM_WORLD, &st); // stop
}

static void enter(int key, action run, int *value)
{
	table[used].key = key; // slice
	table[used].run = run; // slice
	table[used].value = value;
	used++; // slice
}

static void perform(int first)
{
	for (int i = first; i < used; i++) { // slice
		struct entry *e = &table[i]; // slice
		e->run(e->key, e->value); // slice
	}
}

int main(int argc, char **argv)
{
	int rank, a = 1, b = 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	enter(4, show, &a); // slice
	enter(rank == 1 ? 7 : 5, await, &b); // root
	perform(0); // slice
	MPI_Finalize();
	return 0;
}
