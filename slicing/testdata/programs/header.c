// tune: rank=1 size=3 stop=MPI_Recv:3 data=2 peer=0:MPI_Send:1
// Patches come after a header that says how many; the sender counts one that it keeps.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

struct header {
	int kind, from, n;
	double time;
};

struct domain {
	int rank, size;
	int owner[8];
	double patch[8][16];
};

static void setup(struct domain *d)
{
	MPI_Comm_rank(MPI_COMM_WORLD, &d->rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &d->size); // slice
	for (int i = 0; i < 8; i++) // slice
		d->owner[i] = i % d->size; // slice
}

static int leaving(const struct domain *d, int to)
{
	int n = 0; // slice
	for (int i = 0; i < 8; i++) // slice
		if (d->owner[i] <= to) // root
			n++; // slice
	return n; // slice
}

static void fill(struct header *h, const struct domain *d, int to, double time)
{
	memset(h, 0, sizeof *h); // slice
	h->kind = 4;
	h->from = d->rank;
	h->n = leaving(d, to); // slice
	h->time = time;
}

static void send(struct domain *d, int to)
{
	struct header h;
	fill(&h, d, to, 0.5); // slice
	MPI_Send(&h, sizeof h, MPI_CHAR, to, 1, MPI_COMM_WORLD); // slice
	for (int i = 0; i < 8; i++)
		if (d->owner[i] == to)
			MPI_Send(d->patch[i], 16, MPI_DOUBLE, to, 2, MPI_COMM_WORLD);
}

static void receive(struct domain *d, int from)
{
	struct header h;
	MPI_Status st;
	MPI_Recv(&h, sizeof h, MPI_CHAR, from, 1, MPI_COMM_WORLD, &st); // slice
	if (h.time < 0)
		return;
	for (int i = 0; i < h.n; i++) // slice
		MPI_Recv(d->patch[i], 16, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	struct domain d;
	MPI_Init(&argc, &argv);
	memset(&d, 0, sizeof d); // slice
	setup(&d); // slice
	if (d.rank == 0) // slice
		for (int to = 1; to < d.size; to++) // slice
			send(&d, to); // slice
	else
		receive(&d, 0); // slice
	printf("%g\n", d.patch[0][0]);
	MPI_Finalize();
	return 0;
}
