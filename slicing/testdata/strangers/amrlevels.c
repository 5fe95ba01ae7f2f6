// tune: rank=1 size=4 stop=MPI_Recv:3 data=2 peer=0:MPI_Send:1
// Levels of patches, each with its own neighbours: a fine side asks the owner of
// the wrong coarse patch, because the ratio of refinement grows with the level.
#include <mpi.h>
#include <stdio.h>

#define SIDES 4
#define PATCHES 8
#define LEVELS 3

enum bc { WALL, INTERIOR, PERIODIC, COARSE };

struct patch {
	int id, owner;
	double flux[SIDES];
	int nbr[SIDES];
	int weight[SIDES];
	enum bc side[SIDES];
};

struct level {
	double dt;
	int npatch, ratio;
	struct patch patch[PATCHES];
};

static struct level levels[LEVELS];

static enum bc kind(int l, int p, int d, int n)
{
	if (d >= 2) // slice
		return l > 0 ? COARSE : WALL; // slice
	if ((d == 0 && p == 0) || (d == 1 && p == n - 1)) // slice
		return PERIODIC; // slice
	return INTERIOR; // slice
}

static void build(int l, int n, int size)
{
	struct level *lv = &levels[l]; // slice
	lv->npatch = n; // slice
	lv->ratio = l + 1; // root
	lv->dt = 1.0 / (l + 1);
	for (int p = 0; p < n; p++) { // slice
		struct patch *q = &lv->patch[p]; // slice
		q->id = 100 * l + p;
		q->owner = (p + l) % size; // slice
		for (int d = 0; d < SIDES; d++) { // slice
			q->nbr[d] = d == 0 ? p - 1 : d == 1 ? p + 1 : p; // slice
			q->side[d] = kind(l, p, d, n); // slice
			q->flux[d] = q->id * lv->dt;
		}
	}
}

static int partner(int l, int p, int d)
{
	const struct level *lv = &levels[l]; // slice
	const struct patch *q = &lv->patch[p]; // slice
	switch (q->side[d]) { // slice
	case INTERIOR:
		return lv->patch[q->nbr[d]].owner; // slice
	case PERIODIC:
		return lv->patch[(q->nbr[d] + lv->npatch) % lv->npatch].owner; // slice
	case COARSE:
		return levels[l - 1].patch[q->nbr[d] / lv->ratio].owner; // slice
	default:
		return -1; // slice
	}
}

static void weigh(int rank)
{
	MPI_Status st;
	for (int l = 1; l < LEVELS; l++) {
		struct patch *q = &levels[l].patch[rank];
		if (rank == 0)
			MPI_Send(q->weight, SIDES, MPI_INT, rank + 1, l, MPI_COMM_WORLD);
		else
			MPI_Recv(q->weight, SIDES, MPI_INT, rank - 1, l, MPI_COMM_WORLD, &st);
	}
}

static void correct(int l, int rank)
{
	MPI_Status st;
	for (int p = 0; p < levels[l].npatch; p++) { // slice
		struct patch *q = &levels[l].patch[p]; // slice
		if (q->owner != rank) // slice
			continue;
		for (int d = 2; d < SIDES; d++) { // slice
			int from = partner(l, p, d); // slice
			if (from != rank) // slice
				MPI_Recv(&q->flux[d], 1, MPI_DOUBLE, from, 10 * l + d, MPI_COMM_WORLD, &st); // stop
		}
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	double sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	for (int l = 0; l < LEVELS; l++) // slice
		build(l, 2 + 2 * l, size); // slice
	weigh(rank);
	correct(LEVELS - 1, rank); // slice
	for (int i = 0; i < SIDES; i++)
		sum += levels[2].patch[rank].flux[i] * levels[2].patch[rank].weight[i];
	printf("%g\n", sum);
	MPI_Finalize();
	return 0;
}
