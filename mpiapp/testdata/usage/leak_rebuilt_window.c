/* usage: class=leak ranks=3
 * A table in a window that grows: when it is full, all make a larger one and copy.
 * The old window is set to null with the struct, and not freed. In the twin it is
 * freed before. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 4, ROUNDS = 3 };

struct table {
	MPI_Win win;
	long *slot;
	int room, used;
};

static int rank, size, faulty;

static void clear(struct table *t)
{
	t->win = MPI_WIN_NULL;
	t->slot = NULL;
	t->room = t->used = 0;
}

static void make(struct table *t, int room)
{
	clear(t);
	t->room = room;
	t->slot = calloc(room, sizeof *t->slot);
	MPI_Win_create(t->slot, room * sizeof *t->slot, sizeof *t->slot, MPI_INFO_NULL, MPI_COMM_WORLD, &t->win); /* ERROR */
}

static void drop(struct table *t)
{
	MPI_Win_free(&t->win);
	free(t->slot);
	clear(t);
}

static void grow(struct table *t)
{
	struct table larger;
	make(&larger, 2 * t->room);
	memcpy(larger.slot, t->slot, t->used * sizeof *t->slot);
	larger.used = t->used;
	if (faulty)
		clear(t); /* the memory stays with the window */
	else
		drop(t);
	*t = larger;
}

static void append(struct table *t, long value)
{
	int other = (rank + 1) % size;
	if (t->used == t->room)
		grow(t);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, t->win);
	MPI_Put(&value, 1, MPI_LONG, other, t->used, 1, MPI_LONG, t->win);
	MPI_Win_unlock(other, t->win);
	MPI_Barrier(MPI_COMM_WORLD);
	t->used++;
}

static long sum_of(struct table *t)
{
	long sum = 0, all;
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, t->win);
	for (int i = 0; i < t->used; i++)
		sum += t->slot[i];
	MPI_Win_unlock(rank, t->win);
	MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	struct table t;
	long all = 0;
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	make(&t, FIRST);
	for (int round = 0; round < ROUNDS; round++) {
		append(&t, 10 * rank + round);
		append(&t, 10 * rank + round + 5);
		all += sum_of(&t);
	}
	drop(&t);
	MPI_Finalize();
	return all < 0;
}
