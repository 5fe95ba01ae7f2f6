// tune: rank=2 size=4 stop=MPI_Recv:2 data=1 peer=0:MPI_Send:2
// A plan that the first rank makes and sends through two libraries; it forgets
// that a rank with no particles has no slab.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- link: typed messages ---- */

enum msg { MSG_NONE, MSG_PLAN, MSG_MESH, MSG_STOP };

static int tag_of(enum msg m)
{
	switch (m) { // slice
	case MSG_PLAN:
		return 100; // slice
	case MSG_MESH:
		return 200; // slice
	default:
		return 999; // slice
	}
}

static void link_send(enum msg m, const void *p, int n, MPI_Datatype type, int to)
{
	MPI_Send(p, n, type, to, tag_of(m), MPI_COMM_WORLD); // slice
}

static int link_recv(enum msg m, void *p, int n, MPI_Datatype type, int from)
{
	MPI_Status st;
	return MPI_Recv(p, n, type, from, tag_of(m), MPI_COMM_WORLD, &st); // stop
}

/* ---- plans, on top of link ---- */

struct plan {
	int slabs, source;
};

static void plan_send(const struct plan *p, int to)
{
	link_send(MSG_PLAN, p, 2, MPI_INT, to); // slice
}

static struct plan plan_recv(int from)
{
	struct plan p;
	link_recv(MSG_PLAN, &p, 2, MPI_INT, from); // slice
	return p; // slice
}

static int *histogram(int ranks, int particles)
{
	int *h = calloc(ranks, sizeof *h); // slice
	for (int i = 0; i < particles; i++) // slice
		h[i * i % ranks]++; // slice
	return h; // slice
}

static int heaviest(const int *h, int n)
{
	int best = 0; // slice
	for (int i = 1; i < n; i++) // slice
		if (h[i] > h[best]) // slice
			best = i; // slice
	return best; // slice
}

static void distribute(int size, int particles)
{
	int *h = histogram(size, particles); // slice
	int lost = 0;
	for (int r = 1; r < size; r++) { // slice
		struct plan p;
		p.slabs = 1 + h[r] / 8; // root
		p.source = heaviest(h, size); // slice
		if (h[r] == 0)
			lost++;
		plan_send(&p, r); // slice
	}
	printf("%d ranks without particles\n", lost);
	free(h);
}

static double mesh(const struct plan *p, double *slab, int n)
{
	double sum = 0;
	for (int s = 0; s < p->slabs; s++) { // slice
		link_recv(MSG_MESH, slab, n, MPI_DOUBLE, p->source); // slice
		for (int i = 0; i < n; i++)
			sum += slab[i];
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size;
	double slab[64] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	if (rank == 0) { // slice
		distribute(size, 50); // slice
		slab[0] = 1;
		link_send(MSG_MESH, slab, 64, MPI_DOUBLE, 1);
	} else {
		struct plan p = plan_recv(0); // slice
		printf("%g\n", mesh(&p, slab, 64)); // slice
	}
	MPI_Finalize();
	return 0;
}
