// tune: rank=1 size=4 stop=MPI_Recv:1
// Structs that are cleared by memset, copied whole and passed through unknown pointers.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct route {
	int from, to, tag, hops;
	long bytes, packets;
};

struct message {
	struct route route;
	double payload[8];
	int flags;
};

static struct message *pool[4];

static struct route make_route(int rank, int size)
{
	struct route r;
	memset(&r, 0, sizeof r);
	r.to = rank; // slice
	r.from = (rank + 2) % size; // root
	r.tag = 11; // slice
	r.bytes = 64;
	return r; // slice
}

static void fill(struct message *m, const struct route *r)
{
	memset(m, 0, sizeof *m); // slice
	m->route = *r; // slice
	m->route.hops = 1;
	m->payload[0] = 3;
}

static void mark(struct message *m, int flags)
{
	m->flags = flags;
	m->route.packets++;
}

static void receive(struct message *m, int me)
{
	if (m->flags & 1) // slice
		return;
	if (m->route.to != me) // slice
		return;
	MPI_Recv(m->payload, 8, MPI_DOUBLE, m->route.from, m->route.tag, MPI_COMM_WORLD, (MPI_Status *)0); // stop
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	struct route r = make_route(rank, size); // slice
	for (int i = 0; i < 4; i++) // slice
		pool[i] = malloc(sizeof *pool[i]); // slice
	for (int i = 0; i < 4; i++) // slice
		fill(pool[i], &r); // slice
	mark(pool[3], 2);
	struct message *m = pool[1]; // slice
	receive(m, rank); // slice
	printf("%g\n", m->payload[0]);
	MPI_Finalize();
	return 0;
}
