// The ranks of a ring wait for each other. Behind a line stands what its names hold then.
#include <mpi.h>
#include <stddef.h>

struct part {
	int id;
	double weight;
	enum { HOT = 1, COLD } state;
	unsigned flag : 3; /* no bytes of its own */
};

struct mesh {
	int rank, n;
	struct part part;
	struct mesh *up;
	char kind;
};

static int steps = 7;
static unsigned char first = 200;

static void exchange(struct mesh *m, int step)
{
	int n = m->n;
	double buf = 0;
	if (n > 0 && (m->part.state == COLD || m->up == NULL)) /* HOLDS: n = 4, m->part.state = COLD, m->up = null */
		MPI_Recv(&buf, 1, MPI_DOUBLE, (m -> rank + n - 1) % n, step + first, /* HOLDS: n = 4, step = 0, first = 200 */
		         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	struct mesh m = {.part = {3, 0.25, COLD, 5}, .kind = 'q'};
	MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &m.n); /* HOLDS: m.n = 4 */
	for (int i = 0; i < steps; i++)      /* HOLDS: i = 0, steps = 7 */
		exchange(&m, i);             /* HOLDS: i = 0 */
	MPI_Finalize();
	return 0;
}
