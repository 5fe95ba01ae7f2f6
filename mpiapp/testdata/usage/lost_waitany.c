/* usage: class=lost_request ranks=4
 * A gather that works on each part as it comes, by MPI_Waitany. The parts of the
 * other ranks are begun from slot 1 on, but the wait looks at the slots of the
 * requests of the step before, all inactive, and so takes the step for done. In the
 * twin it looks at those of this step. */
#include <mpi.h>
#include <string.h>

enum { RANKS = 4, LENGTH = 5, STEPS = 2, TAG_PART = 9 };

struct step {
	MPI_Request request[RANKS];
	double part[RANKS][LENGTH];
	int open;
};

struct gather {
	struct step step[STEPS + 1];
	double sum;
	int late; /* by how many steps the wait is late */
};

static int rank, size;

static void gather_open(struct gather *g, int late)
{
	memset(g, 0, sizeof *g);
	for (int s = 0; s <= STEPS; s++)
		for (int i = 0; i < RANKS; i++)
			g->step[s].request[i] = MPI_REQUEST_NULL;
	g->late = late;
}

static void begin(struct gather *g, int number)
{
	struct step *s = &g->step[number];
	for (int i = 1; i < size; i++) {
		MPI_Irecv(s->part[i], LENGTH, MPI_DOUBLE, i, TAG_PART + number, MPI_COMM_WORLD, &s->request[i]); /* ERROR */
		s->open++;
	}
}

static void use(struct gather *g, const double *part)
{
	for (int i = 0; i < LENGTH; i++)
		g->sum += part[i];
}

static void end(struct gather *g, int number)
{
	struct step *s = &g->step[number - g->late];
	for (;;) {
		int which;
		MPI_Waitany(size, s->request, &which, MPI_STATUS_IGNORE);
		if (which == MPI_UNDEFINED)
			break;
		use(g, s->part[which]);
		s->open--;
	}
}

static void root(struct gather *g)
{
	for (int number = 1; number <= STEPS; number++) {
		begin(g, number);
		end(g, number);
	}
}

static void other(void)
{
	double part[LENGTH];
	for (int number = 1; number <= STEPS; number++) {
		for (int i = 0; i < LENGTH; i++)
			part[i] = rank * number + i;
		MPI_Send(part, LENGTH, MPI_DOUBLE, 0, TAG_PART + number, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	static struct gather g;
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	gather_open(&g, faulty ? 1 : 0);
	if (rank == 0)
		root(&g);
	else
		other();
	MPI_Bcast(&g.sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
