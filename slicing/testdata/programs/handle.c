// tune: rank=1 size=4 stop=MPI_Recv:1
// A channel object, made by a function, has the tag of another one.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct channel {
	int number, open, peer, tag;
	double *data;
	long bytes;
};

static struct channel *channel_new(int number, int peer)
{
	struct channel *c = calloc(1, sizeof *c); // slice
	c->number = number;
	c->bytes = 64 * sizeof(double);
	c->data = malloc(c->bytes);
	c->peer = peer; // slice
	c->tag = 40; // root
	c->open = 1; // slice
	return c; // slice
}

static double work(double x)
{
	for (int i = 0; i < 10; i++)
		x = x * 0.9 + i;
	return x;
}

static void channel_read(struct channel *c)
{
	MPI_Status st;
	if (!c->open) // slice
		return;
	MPI_Recv(c->data, 64, MPI_DOUBLE, c->peer, c->tag, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int left = (rank + size - 1) % size; // slice
	struct channel *c = channel_new(1, left); // slice
	double x = work(rank);
	channel_read(c); // slice
	printf("%g %g\n", x, c->data[0]);
	free(c->data);
	free(c);
	MPI_Finalize();
	return 0;
}
