/* usage: class=invalid_argument|refused ranks=5
 * An ocean and an atmosphere are coupled by an intercommunicator. The list of the
 * partners holds ranks of the world, but the intercommunicator counts those of the
 * other component from 0. In the twin the list is in its ranks. */
#include <mpi.h>
#include <string.h>

enum component { OCEAN, ATMOSPHERE };
enum { OCEANS = 2, POINTS = 4, TAG_SETUP = 5, TAG_HEAT = 6 };

struct coupler {
	MPI_Comm own, other;
	enum component component;
	int partner, partners;
	double heat[POINTS];
};

static int world_rank, world_size, faulty;

static void coupler_open(struct coupler *c)
{
	c->component = world_rank < OCEANS ? OCEAN : ATMOSPHERE;
	MPI_Comm_split(MPI_COMM_WORLD, c->component, world_rank, &c->own);
	MPI_Intercomm_create(c->own, 0, MPI_COMM_WORLD, c->component == OCEAN ? OCEANS : 0, TAG_SETUP, &c->other);
	MPI_Comm_set_errhandler(c->other, MPI_ERRORS_RETURN);
}

/* The first rank of the atmosphere only reads and writes; the others serve the ocean. */
static void find_partner(struct coupler *c)
{
	int rank;
	MPI_Comm_rank(c->own, &rank);
	if (c->component == OCEAN) {
		c->partners = 1;
		c->partner = faulty ? OCEANS + 1 + rank : 1 + rank;
	} else {
		c->partners = rank > 0;
		c->partner = rank - 1;
	}
}

static int send_heat(struct coupler *c)
{
	if (!c->partners)
		return MPI_SUCCESS;
	return MPI_Send(c->heat, POINTS, MPI_DOUBLE, c->partner, TAG_HEAT, c->other); /* ERROR */
}

static void take_heat(struct coupler *c)
{
	int there = 0;
	MPI_Status status;
	MPI_Barrier(c->own);
	if (c->partners)
		MPI_Iprobe(c->partner, TAG_HEAT, c->other, &there, &status);
	if (there || (c->partners && !faulty))
		MPI_Recv(c->heat, POINTS, MPI_DOUBLE, c->partner, TAG_HEAT, c->other, MPI_STATUS_IGNORE);
}

static void work(struct coupler *c)
{
	double mine = 0, all;
	for (int i = 0; i < POINTS; i++) {
		c->heat[i] = 0.9 * c->heat[i] + i;
		mine += c->heat[i];
	}
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, c->own);
}

static void coupler_close(struct coupler *c)
{
	MPI_Comm_free(&c->other);
	MPI_Comm_free(&c->own);
}

int main(int argc, char **argv)
{
	struct coupler c;
	memset(&c, 0, sizeof c);
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &world_size);
	coupler_open(&c);
	find_partner(&c);
	for (int step = 0; step < 2; step++) {
		work(&c);
		if (c.component == OCEAN)
			send_heat(&c);
		else
			take_heat(&c);
	}
	coupler_close(&c);
	MPI_Finalize();
	return 0;
}
