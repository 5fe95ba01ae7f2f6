/* usage: class=collective_mismatch|type_mismatch|truncation ranks=4
 * Particles migrate to the rank that owns their cell. The numbers that leave are
 * exchanged first; then the particles that lie on the upper edge of the domain are
 * put back to the last rank, after the numbers have gone. In the twin they are put
 * back before. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLES = 12, RANKS = 4 };

struct particle {
	double x, v;
	int id, owner;
};

struct plan {
	int leave[RANKS], come[RANKS], from[RANKS], to[RANKS];
	int leaving, coming;
};

static int rank, size;

static MPI_Datatype particle_type(void)
{
	int length[2] = {2, 2};
	MPI_Aint at[2] = {0, 2 * sizeof(double)};
	MPI_Datatype part[2] = {MPI_DOUBLE, MPI_INT}, type;
	MPI_Type_create_struct(2, length, at, part, &type);
	MPI_Type_commit(&type);
	return type;
}

static void sow(struct particle *p)
{
	for (int i = 0; i < PARTICLES; i++) {
		p[i].x = (i + 0.5) * size / PARTICLES;
		p[i].v = 0.25;
		p[i].id = rank * PARTICLES + i;
	}
	p[PARTICLES - 1].x = size; /* on the edge */
}

static int by_owner(const void *a, const void *b)
{
	return ((const struct particle *)a)->owner - ((const struct particle *)b)->owner;
}

/* Those on the edge wrap to rank 0, if they are not clamped. */
static void own(struct particle *p, int clamp)
{
	for (int i = 0; i < PARTICLES; i++) {
		int cell = (int)p[i].x;
		p[i].owner = clamp && cell >= size ? size - 1 : cell % size;
	}
}

static void count(struct plan *plan, const struct particle *p)
{
	memset(plan->leave, 0, sizeof plan->leave);
	for (int i = 0; i < PARTICLES; i++)
		plan->leave[p[i].owner]++;
}

static void offsets(struct plan *plan)
{
	plan->leaving = plan->coming = 0;
	for (int i = 0; i < size; i++) {
		plan->from[i] = plan->leaving;
		plan->to[i] = plan->coming;
		plan->leaving += plan->leave[i];
		plan->coming += plan->come[i];
	}
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	struct particle mine[PARTICLES], *theirs;
	struct plan plan;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Datatype type = particle_type();
	sow(mine);
	own(mine, !faulty);
	count(&plan, mine);
	MPI_Alltoall(plan.leave, 1, MPI_INT, plan.come, 1, MPI_INT, MPI_COMM_WORLD);
	if (faulty) {
		own(mine, 1);
		count(&plan, mine);
	}
	qsort(mine, PARTICLES, sizeof mine[0], by_owner);
	offsets(&plan);
	theirs = calloc(plan.coming + RANKS * PARTICLES, sizeof *theirs);
	MPI_Alltoallv(mine, plan.leave, plan.from, type, theirs, plan.come, plan.to, type, MPI_COMM_WORLD); /* ERROR */
	free(theirs);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
