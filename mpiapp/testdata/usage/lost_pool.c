/* usage: class=lost_request ranks=3
 * A heat solver on a ring, whose exchange keeps its requests in a pool of fixed
 * size. A slot is taken by the number of the transfer modulo the size; with two
 * fields there are eight transfers a step, and the pool has six slots. In the twin
 * it has eight. */
#include <mpi.h>
#include <string.h>

enum { CELLS = 16, FIELDS = 2, STEPS = 3, MOST = 8 };

struct pool {
	MPI_Request slot[MOST];
	int size, used;
};

struct field {
	double cell[CELLS + 2], next[CELLS + 2];
};

static struct field field[FIELDS];
static int rank, size;

static void pool_init(struct pool *p, int slots)
{
	p->size = slots;
	p->used = 0;
	for (int i = 0; i < MOST; i++)
		p->slot[i] = MPI_REQUEST_NULL;
}

static MPI_Request *pool_take(struct pool *p)
{
	return &p->slot[p->used++ % p->size];
}

static void pool_drain(struct pool *p)
{
	MPI_Waitall(p->size, p->slot, MPI_STATUSES_IGNORE);
	p->used = 0;
}

static void exchange(struct pool *p)
{
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	for (int f = 0; f < FIELDS; f++) {
		double *c = field[f].cell;
		MPI_Irecv(&c[0], 1, MPI_DOUBLE, left, 2 * f, MPI_COMM_WORLD, pool_take(p)); /* ERROR */
		MPI_Irecv(&c[CELLS + 1], 1, MPI_DOUBLE, right, 2 * f + 1, MPI_COMM_WORLD, pool_take(p)); /* ERROR */
		MPI_Isend(&c[CELLS], 1, MPI_DOUBLE, right, 2 * f, MPI_COMM_WORLD, pool_take(p));
		MPI_Isend(&c[1], 1, MPI_DOUBLE, left, 2 * f + 1, MPI_COMM_WORLD, pool_take(p));
	}
	pool_drain(p);
}

static void smooth(struct field *f)
{
	for (int i = 1; i <= CELLS; i++)
		f->next[i] = 0.5 * f->cell[i] + 0.25 * (f->cell[i - 1] + f->cell[i + 1]);
	memcpy(&f->cell[1], &f->next[1], CELLS * sizeof(double));
}

static double norm(const struct field *f)
{
	double mine = 0, all;
	for (int i = 1; i <= CELLS; i++)
		mine += f->cell[i];
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	struct pool pool;
	double total = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	pool_init(&pool, faulty ? 6 : MOST);
	for (int f = 0; f < FIELDS; f++)
		for (int i = 1; i <= CELLS; i++)
			field[f].cell[i] = rank + f;
	for (int step = 0; step < STEPS; step++) {
		exchange(&pool);
		for (int f = 0; f < FIELDS; f++) {
			smooth(&field[f]);
			total += norm(&field[f]);
		}
	}
	MPI_Finalize();
	return total < 0;
}
