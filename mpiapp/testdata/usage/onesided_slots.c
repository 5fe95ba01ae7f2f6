/* usage: class=one_sided ranks=4
 * Neighbours on a ring leave the fluxes over their faces in the windows of the cells
 * between fences. The left and the right have a slot each, but both writers reckon
 * theirs from the side as they see it, so both take slot 0 of the one between. In the
 * twin the right one takes slot 1. */
#include <mpi.h>
#include <string.h>

enum side { FROM_LEFT, FROM_RIGHT, SIDES };
enum { COMPONENTS = 5, STEPS = 2 };

struct flux {
	double value[COMPONENTS];
};

struct cell {
	struct flux face[SIDES];
	double state[COMPONENTS];
	MPI_Win win;
	int left, right, slots;
};

static int rank, size;

static void cell_open(struct cell *c, int slots)
{
	memset(c, 0, sizeof *c);
	c->left = (rank + size - 1) % size;
	c->right = (rank + 1) % size;
	c->slots = slots;
	for (int i = 0; i < COMPONENTS; i++)
		c->state[i] = rank + 0.1 * i;
	MPI_Win_create(c->face, sizeof c->face, sizeof(struct flux), MPI_INFO_NULL, MPI_COMM_WORLD, &c->win);
}

static struct flux flux_of(const struct cell *c, double direction)
{
	struct flux f;
	for (int i = 0; i < COMPONENTS; i++)
		f.value[i] = direction * 0.1 * c->state[i];
	return f;
}

static void leave(struct cell *c, int at, int side, struct flux *f)
{
	MPI_Put(f->value, COMPONENTS, MPI_DOUBLE, at, side % c->slots, COMPONENTS, MPI_DOUBLE, c->win); /* ERROR */
}

static void exchange(struct cell *c)
{
	struct flux to_left = flux_of(c, -1), to_right = flux_of(c, 1);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, c->win);
	leave(c, c->right, FROM_LEFT, &to_right);
	leave(c, c->left, FROM_RIGHT, &to_left);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, c->win);
}

static void update(struct cell *c)
{
	for (int i = 0; i < COMPONENTS; i++)
		c->state[i] += c->face[FROM_LEFT].value[i] + c->face[FROM_RIGHT].value[i];
}

static double total(const struct cell *c)
{
	double mine = 0, all;
	for (int i = 0; i < COMPONENTS; i++)
		mine += c->state[i];
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	struct cell c;
	double sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	cell_open(&c, faulty ? 1 : SIDES);
	for (int step = 0; step < STEPS; step++) {
		exchange(&c);
		update(&c);
		sum += total(&c);
	}
	MPI_Win_free(&c.win);
	MPI_Finalize();
	return sum != sum;
}
