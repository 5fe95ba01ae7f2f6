// tune: rank=1 size=4 stop=MPI_Recv:2 data=3
// Channels lie in an arena and are named by handles with a generation: closing one
// does not make it older, and a stale handle names the channel that came after.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHANNELS 16
#define NONE UINT32_MAX

typedef uint32_t handle;

struct channel {
	uint16_t generation;
	uint16_t used;
	int peer, tag;
	double buffer[4];
	uint32_t next;
};

struct arena {
	struct channel channel[CHANNELS];
	uint32_t free, live;
};

struct flow {
	handle in, out;
	int volume;
	double rate;
};

static handle pack(uint32_t index, uint16_t generation)
{
	return (uint32_t)generation << 16 | index; // slice
}

static void reset(struct arena *a)
{
	memset(a, 0, sizeof *a); // slice
	for (uint32_t i = 0; i < CHANNELS; i++) { // slice
		a->channel[i].generation = 1; // slice
		a->channel[i].next = i + 1 < CHANNELS ? i + 1 : NONE; // slice
	}
	a->free = 0; // slice
}

static struct channel *resolve(struct arena *a, handle h)
{
	struct channel *c = &a->channel[h & 0xffff]; // slice
	if (!c->used || c->generation != h >> 16) // slice
		return NULL; // slice
	return c; // slice
}

static handle open_channel(struct arena *a, int peer, int tag)
{
	uint32_t i = a->free; // slice
	if (i == NONE) // slice
		return 0; // slice
	struct channel *c = &a->channel[i]; // slice
	a->free = c->next; // slice
	a->live++;
	c->used = 1; // slice
	c->peer = peer; // slice
	c->tag = tag; // slice
	return pack(i, c->generation); // slice
}

static void close_channel(struct arena *a, handle h)
{
	struct channel *c = resolve(a, h); // slice
	if (!c) // slice
		return;
	c->used = 0; // root
	c->next = a->free; // slice
	a->free = h & 0xffff; // slice
	a->live--;
}

static void connect_all(struct arena *a, struct flow *flows, int n, int rank, int size)
{
	for (int i = 0; i < n; i++) { // slice
		flows[i].in = open_channel(a, (rank + i) % size, 70 + i); // slice
		flows[i].out = open_channel(a, (rank + size - i) % size, 70 + i); // slice
		flows[i].volume = 4;
		flows[i].rate = 0.5 / (i + 1);
	}
}

/* A flow to the rank itself is closed; its channels serve for the controls. */
static void prune(struct arena *a, struct flow *flows, int n, int rank)
{
	for (int i = 0; i < n; i++) { // slice
		struct channel *c = resolve(a, flows[i].in); // slice
		if (c && c->peer == rank) { // slice
			close_channel(a, flows[i].in); // slice
			close_channel(a, flows[i].out); // slice
		}
	}
}

static double pull(struct arena *a, const struct flow *f)
{
	MPI_Status st;
	struct channel *c = resolve(a, f->in); // slice
	if (!c) // slice
		return 0;
	MPI_Recv(c->buffer, 4, MPI_DOUBLE, c->peer, c->tag, MPI_COMM_WORLD, &st); // stop
	return f->rate * c->buffer[0];
}

static double sweep(struct arena *a, const struct flow *flows, int n)
{
	double sum = 0;
	for (int i = n - 1; i >= 0; i--) // slice
		sum += pull(a, &flows[i]); // slice
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size;
	struct arena a;
	struct flow flows[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	reset(&a); // slice
	connect_all(&a, flows, 2, rank, size); // slice
	prune(&a, flows, 2, rank); // slice
	handle log = open_channel(&a, 0, 90); // slice
	handle control = open_channel(&a, (rank + 2) % size, 91); // slice
	double sum = sweep(&a, flows, 2); // slice
	printf("%g %u %u %u\n", sum, a.live, log, control);
	MPI_Finalize();
	return 0;
}
