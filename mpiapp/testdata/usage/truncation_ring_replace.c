/* usage: class=truncation ranks=3
 * Unequal blocks of a matrix go round a ring by MPI_Sendrecv_replace. The count is
 * that of the block that a rank holds; the one that comes may be longer. In the twin
 * all blocks go with the count of the longest. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 11, COLUMNS = 3, TAG_BLOCK = 4 };

struct block {
	double *value;
	int rows, longest, owner;
};

struct ring {
	MPI_Comm comm;
	int rank, size, left, right;
};

static int faulty;

static int rows_of(int rank, int size)
{
	return ROWS / size + (rank < ROWS % size);
}

static void ring_open(struct ring *r)
{
	int periodic = 1;
	MPI_Comm_size(MPI_COMM_WORLD, &r->size);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &r->size, &periodic, 0, &r->comm);
	MPI_Comm_rank(r->comm, &r->rank);
	MPI_Cart_shift(r->comm, 0, 1, &r->left, &r->right);
	MPI_Comm_set_errhandler(r->comm, MPI_ERRORS_RETURN);
}

static void block_open(struct block *b, const struct ring *r)
{
	b->owner = r->rank;
	b->rows = rows_of(r->rank, r->size);
	b->longest = rows_of(0, r->size);
	b->value = calloc((size_t)b->longest * COLUMNS, sizeof(double));
	for (int i = 0; i < b->rows * COLUMNS; i++)
		b->value[i] = r->rank + 0.5 * i;
}

static int sent(const struct block *b)
{
	return (faulty ? b->rows : b->longest) * COLUMNS;
}

static int pass(struct block *b, const struct ring *r)
{
	int error = MPI_Sendrecv_replace(b->value, sent(b), MPI_DOUBLE, r->right, TAG_BLOCK, r->left, TAG_BLOCK, /* ERROR */
					 r->comm, MPI_STATUS_IGNORE);
	b->owner = (b->owner + r->size - 1) % r->size;
	b->rows = rows_of(b->owner, r->size);
	return error;
}

static double dot(const struct block *b, const double *x)
{
	double sum = 0;
	for (int i = 0; i < b->rows; i++)
		for (int j = 0; j < COLUMNS; j++)
			sum += b->value[i * COLUMNS + j] * x[j];
	return sum;
}

int main(int argc, char **argv)
{
	double x[COLUMNS] = {1, 0.5, 0.25}, mine = 0, all;
	struct block b;
	struct ring r;
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	ring_open(&r);
	block_open(&b, &r);
	for (int i = 0; i < r.size; i++) {
		mine += dot(&b, x);
		pass(&b, &r);
	}
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, r.comm);
	free(b.value);
	MPI_Comm_free(&r.comm);
	MPI_Finalize();
	return 0;
}
