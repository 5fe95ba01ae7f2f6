// tune: rank=3 size=4 stop=MPI_Recv:1
// What is known of a cell is kept in the bits of a word; the mask of the boundary
// covers the bit of the ghosts.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 6
#define KIND(w) ((w) & 0x7u)
#define GHOST 0x08u
#define OWNER(w) ((w) >> 8)

enum kind { FLUID, WALL, INLET };

struct grid {
	int rank, size;
	uint32_t cell[N][N];
	long updates;
};

static void mark(struct grid *g, int i, int j, enum kind k, unsigned owner)
{
	uint32_t w = (uint32_t)k | owner << 8; // slice
	if (owner != (unsigned)g->rank) // slice
		w |= GHOST; // slice
	g->cell[i][j] = w; // slice
}

static void wall(struct grid *g)
{
	for (int i = 0; i < N; i++) { // slice
		g->cell[i][0] = (g->cell[i][0] & ~0xfu) | WALL; // root
		g->cell[i][N - 1] = (g->cell[i][N - 1] & ~0x7u) | WALL; // slice
	}
}

static void paint(struct grid *g)
{
	for (int i = 0; i < N; i++) // slice
		for (int j = 0; j < N; j++) // slice
			mark(g, i, j, j == 2 ? INLET : FLUID, (unsigned)((i * N + j) * g->size / (N * N))); // slice
	wall(g); // slice
}

static unsigned wanted(const struct grid *g)
{
	unsigned from = 0; // slice
	for (int i = 0; i < N; i++) // slice
		for (int j = 0; j < N; j++) { // slice
			uint32_t w = g->cell[i][j]; // slice
			if (w & GHOST && KIND(w) == WALL) // slice
				from |= 1u << OWNER(w); // slice
		}
	return from; // slice
}

static void halo(struct grid *g)
{
	double x[N];
	MPI_Status st;
	unsigned from = wanted(g); // slice
	for (int r = 0; r < g->size; r++) // slice
		if (from >> r & 1) // slice
			MPI_Recv(x, N, MPI_DOUBLE, r, 9, MPI_COMM_WORLD, &st); // stop
	g->updates++;
}

int main(int argc, char **argv)
{
	static struct grid g;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &g.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &g.size); // slice
	paint(&g); // slice
	halo(&g); // slice
	printf("%ld\n", g.updates);
	MPI_Finalize();
	return 0;
}
