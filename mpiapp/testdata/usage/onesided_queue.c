/* usage: class=one_sided|refused ranks=3
 * Queues of work in a window: a rank takes a ticket from the counter of another and
 * puts its item behind it. The item is put after the lock was given back, where an
 * early return once was. In the twin it is put and flushed under the lock. */
#include <mpi.h>
#include <string.h>

enum { ROOM = 16, ITEMS = 2 };

struct queue {
	long tail;
	long item[ROOM];
};

struct shared {
	MPI_Win win;
	struct queue *mine;
	int rank, size;
};

static int faulty;

static void queue_open(struct shared *q)
{
	MPI_Comm_rank(MPI_COMM_WORLD, &q->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &q->size);
	MPI_Win_allocate(sizeof *q->mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &q->mine, &q->win);
	MPI_Win_set_errhandler(q->win, MPI_ERRORS_RETURN);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, q->rank, 0, q->win);
	memset(q->mine, 0, sizeof *q->mine);
	MPI_Win_unlock(q->rank, q->win);
	MPI_Barrier(MPI_COMM_WORLD);
}

static long ticket(struct shared *q, int target)
{
	long one = 1, got = 0;
	MPI_Fetch_and_op(&one, &got, MPI_LONG, target, 0, MPI_SUM, q->win);
	MPI_Win_flush(target, q->win);
	return got;
}

static MPI_Aint place(long number)
{
	return (MPI_Aint)((number + 1) * (long)sizeof(long));
}

static int push(struct shared *q, int target, long value)
{
	MPI_Win_lock(MPI_LOCK_SHARED, target, 0, q->win);
	long number = ticket(q, target);
	if (number >= ROOM) {
		MPI_Win_unlock(target, q->win);
		return -1;
	}
	if (faulty) {
		MPI_Win_unlock(target, q->win);
		MPI_Put(&value, 1, MPI_LONG, target, place(number), 1, MPI_LONG, q->win); /* ERROR */
		return 0;
	}
	MPI_Put(&value, 1, MPI_LONG, target, place(number), 1, MPI_LONG, q->win);
	MPI_Win_flush(target, q->win);
	MPI_Win_unlock(target, q->win);
	return 0;
}

static long drain(struct shared *q)
{
	long sum = 0;
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, q->rank, 0, q->win);
	for (long i = 0; i < q->mine->tail; i++)
		sum += q->mine->item[i];
	q->mine->tail = 0;
	MPI_Win_unlock(q->rank, q->win);
	return sum;
}

int main(int argc, char **argv)
{
	struct shared q;
	long got, all;
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	queue_open(&q);
	for (int i = 0; i < ITEMS; i++)
		push(&q, (q.rank + 1 + i) % q.size, 10 * q.rank + i);
	MPI_Barrier(MPI_COMM_WORLD);
	got = drain(&q);
	MPI_Allreduce(&got, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	MPI_Win_free(&q.win);
	MPI_Finalize();
	return 0;
}
