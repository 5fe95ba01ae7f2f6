/* usage: class=request_misuse|refused ranks=3
 * A halo as an object with persistent requests. Its begin is called by the caller of
 * the solver, to hide the exchange behind the source terms, and by the solver again,
 * which does not know. In the twin the object remembers that it has begun. */
#include <mpi.h>
#include <string.h>

enum { CELLS = 10, STEPS = 2 };

struct halo {
	MPI_Request request[4];
	int begun, remembers;
};

struct state {
	double cell[CELLS + 2], source[CELLS + 2];
	struct halo halo;
};

static void halo_init(struct halo *h, double *c, int rank, int size)
{
	int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	MPI_Recv_init(&c[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &h->request[0]);
	MPI_Recv_init(&c[CELLS + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &h->request[1]);
	MPI_Send_init(&c[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &h->request[2]);
	MPI_Send_init(&c[CELLS], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &h->request[3]);
	h->begun = 0;
}

static void halo_begin(struct halo *h)
{
	if (h->remembers && h->begun)
		return;
	for (int i = 0; i < 4; i++)
		MPI_Start(&h->request[i]); /* ERROR */
	h->begun = 1;
}

static void halo_end(struct halo *h)
{
	MPI_Waitall(4, h->request, MPI_STATUSES_IGNORE);
	h->begun = 0;
}

static void halo_free(struct halo *h)
{
	for (int i = 0; i < 4; i++)
		MPI_Request_free(&h->request[i]);
}

static void sources(struct state *s, int step)
{
	for (int i = 0; i < CELLS + 2; i++)
		s->source[i] = 0.01 * step * i;
}

static void solve(struct state *s)
{
	double next[CELLS + 2];
	halo_begin(&s->halo);
	for (int i = 2; i < CELLS; i++)
		next[i] = s->source[i] + 0.5 * (s->cell[i - 1] + s->cell[i + 1]);
	halo_end(&s->halo);
	next[1] = s->source[1] + 0.5 * (s->cell[0] + s->cell[2]);
	next[CELLS] = s->source[CELLS] + 0.5 * (s->cell[CELLS - 1] + s->cell[CELLS + 1]);
	memcpy(&s->cell[1], &next[1], CELLS * sizeof(double));
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	struct state s;
	memset(&s, 0, sizeof s);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	halo_init(&s.halo, s.cell, rank, size);
	s.halo.remembers = !faulty;
	for (int step = 0; step < STEPS; step++) {
		halo_begin(&s.halo);
		sources(&s, step);
		solve(&s);
	}
	halo_free(&s.halo);
	MPI_Finalize();
	return 0;
}
