/* usage: class=potential_deadlock ranks=4
 * Rings of a rotating multiplication: each rank hands its block to the left and takes
 * the one of the right, with a wrapper that sends before it receives. Blocks here are
 * small enough to be buffered. In the twin one rank receives first. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4, TAG_BLOCK = 77 };

struct ring {
	MPI_Comm comm;
	int rank, size, left, right, breaks;
};

struct matrix {
	double *a, *b, *spare, *c;
};

static void ring_open(struct ring *r, int breaks)
{
	int periodic = 1;
	MPI_Comm_size(MPI_COMM_WORLD, &r->size);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &r->size, &periodic, 0, &r->comm);
	MPI_Comm_rank(r->comm, &r->rank);
	MPI_Cart_shift(r->comm, 0, 1, &r->left, &r->right);
	r->breaks = breaks;
}

static void give(struct ring *r, const double *block)
{
	MPI_Send(block, N * N, MPI_DOUBLE, r->left, TAG_BLOCK, r->comm); /* ERROR */
}

static void take(struct ring *r, double *block)
{
	MPI_Recv(block, N * N, MPI_DOUBLE, r->right, TAG_BLOCK, r->comm, MPI_STATUS_IGNORE);
}

static void rotate(struct ring *r, struct matrix *m)
{
	double *old = m->b;
	if (r->breaks && r->rank == 0) {
		take(r, m->spare);
		give(r, m->b);
	} else {
		give(r, m->b);
		take(r, m->spare);
	}
	m->b = m->spare;
	m->spare = old;
}

static void multiply(struct matrix *m)
{
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				m->c[i * N + j] += m->a[i * N + k] * m->b[k * N + j];
}

static void matrix_open(struct matrix *m, int rank)
{
	m->a = calloc(N * N, sizeof(double));
	m->b = calloc(N * N, sizeof(double));
	m->c = calloc(N * N, sizeof(double));
	m->spare = calloc(N * N, sizeof(double));
	for (int i = 0; i < N * N; i++) {
		m->a[i] = i + rank;
		m->b[i] = i % (N + 1) == 0;
	}
}

static void matrix_close(struct matrix *m)
{
	free(m->a);
	free(m->b);
	free(m->c);
	free(m->spare);
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	struct ring r;
	struct matrix m;
	MPI_Init(&argc, &argv);
	ring_open(&r, !faulty);
	matrix_open(&m, r.rank);
	for (int i = 0; i < r.size; i++) {
		multiply(&m);
		rotate(&r, &m);
	}
	matrix_close(&m);
	MPI_Comm_free(&r.comm);
	MPI_Finalize();
	return 0;
}
