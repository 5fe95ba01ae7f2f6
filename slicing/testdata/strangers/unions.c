// tune: rank=2 size=4 stop=MPI_Recv:2 data=1 peer=0:MPI_Send:2
// Orders are a kind and a union: the master fills the member of another kind than
// it says, and a worker takes a tag for a rank.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum kind { K_IDLE, K_FETCH, K_ROUTE, K_QUIT };

struct fetch {
	int from, tag, length;
};

struct route {
	int tag, hops, via[2];
};

struct order {
	int kind, serial;
	union {
		struct fetch fetch;
		struct route route;
		double value;
	} u;
};

#define WORDS ((int)(sizeof(struct order) / sizeof(int)))
#define TAG_ORDER 3

struct worker {
	int rank, size;
	double data[24];
	int done[4];
};

static int needs_route(int from, int to)
{
	return (from ^ to) != 1; // slice
}

static void order_fetch(struct order *o, int from, int tag)
{
	o->kind = K_FETCH; // slice
	o->u.fetch.from = from; // slice
	o->u.fetch.tag = tag; // slice
	o->u.fetch.length = 24; // slice
}

static void order_route(struct order *o, int from, int tag)
{
	o->kind = K_FETCH; // root
	o->u.route.tag = tag; // slice
	o->u.route.hops = 2; // slice
	o->u.route.via[0] = from ^ 1; // slice
	o->u.route.via[1] = from;
}

static void command(int size)
{
	struct order o;
	for (int w = 1; w < size; w++) { // slice
		memset(&o, 0, sizeof o); // slice
		o.serial = w; // slice
		if (needs_route(0, w)) // slice
			order_route(&o, 0, 100 + w); // slice
		else
			order_fetch(&o, 0, 100 + w); // slice
		MPI_Send(&o, WORDS, MPI_INT, w, TAG_ORDER, MPI_COMM_WORLD); // slice
	}
}

static void fetch(struct worker *w, const struct fetch *f)
{
	MPI_Status st;
	if (f->length > 0) // slice
		MPI_Recv(w->data, f->length, MPI_DOUBLE, f->from, f->tag, MPI_COMM_WORLD, &st); // stop
	w->done[K_FETCH]++;
}

static void relay(struct worker *w, const struct route *r)
{
	MPI_Status st;
	for (int h = 0; h < r->hops; h++)
		MPI_Recv(w->data, 24, MPI_DOUBLE, r->via[h], r->tag, MPI_COMM_WORLD, &st);
	w->done[K_ROUTE]++;
}

static int obey(struct worker *w)
{
	struct order o;
	MPI_Status st;
	MPI_Recv(&o, WORDS, MPI_INT, 0, TAG_ORDER, MPI_COMM_WORLD, &st); // slice
	switch (o.kind) { // slice
	case K_IDLE:
		return 1; // slice
	case K_ROUTE:
		relay(w, &o.u.route);
		return 1; // slice
	case K_QUIT:
		return 0; // slice
	default:
		fetch(w, &o.u.fetch); // slice
	}
	return o.serial % 2 == 0; // slice
}

int main(int argc, char **argv)
{
	struct worker w;
	MPI_Init(&argc, &argv);
	memset(&w, 0, sizeof w);
	MPI_Comm_rank(MPI_COMM_WORLD, &w.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &w.size); // slice
	if (w.rank == 0) { // slice
		command(w.size); // slice
	} else {
		while (obey(&w)) // slice
			w.data[0] += w.done[K_FETCH];
	}
	printf("%g %d\n", w.data[0], w.done[K_ROUTE]);
	MPI_Finalize();
	return 0;
}
