// tune: rank=3 size=4 stop=MPI_Recv:1
// Three layers over MPI, each with its own idea of ranks: the middle one adds
// the offset of the group a second time.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- ports: the lowest layer, which counts and numbers messages ---- */

struct port {
	MPI_Comm comm;
	long sent, received;
	int tagbase;
};

static int port_open(struct port *p, int tagbase)
{
	p->comm = MPI_COMM_WORLD; // slice
	p->sent = p->received = 0;
	p->tagbase = tagbase; // slice
	return 0;
}

static int port_put(struct port *p, const void *data, int n, int to, int channel)
{
	p->sent += n;
	return MPI_Send(data, n, MPI_DOUBLE, to, p->tagbase + channel, p->comm);
}

static int port_get(struct port *p, void *data, int n, int from, int channel)
{
	MPI_Status st;
	int rc = MPI_Recv(data, n, MPI_DOUBLE, from, p->tagbase + channel, p->comm, &st); // stop
	p->received += n;
	return rc;
}

/* ---- groups: every pair of ranks is a group ---- */

struct group {
	struct port *port;
	int first, members, me;
};

static struct group *group_of(struct port *port, int rank, int members)
{
	struct group *g = malloc(sizeof *g); // slice
	if (!g) // slice
		return NULL; // slice
	g->port = port; // slice
	g->members = members; // slice
	g->first = rank - rank % members; // slice
	g->me = rank - g->first; // slice
	return g; // slice
}

static int member(const struct group *g, int i)
{
	return g->first + i % g->members; // slice
}

static int group_send(struct group *g, const double *data, int n, int i)
{
	return port_put(g->port, data, n, member(g, i), 1);
}

static int group_recv(struct group *g, double *data, int n, int i)
{
	int from = member(g, i); // slice
	from += g->first; // root
	return port_get(g->port, data, n, from, 1); // slice
}

/* ---- fields: what the solver sees ---- */

struct field {
	struct group *group;
	int n, ghosts;
	double *v;
};

static int field_open(struct field *f, struct group *g, int n)
{
	if (!g) // slice
		return -1; // slice
	f->group = g; // slice
	f->n = n; // slice
	f->ghosts = 2; // slice
	f->v = calloc(n + 2 * f->ghosts, sizeof *f->v); // slice
	return f->v ? 0 : -2; // slice
}

static int field_update(struct field *f)
{
	struct group *g = f->group; // slice
	if (g->me == 0) // slice
		return group_send(g, f->v + f->ghosts, f->ghosts, g->me + 1);
	return group_recv(g, f->v, f->ghosts, g->me - 1); // slice
}

int main(int argc, char **argv)
{
	int rank, rc;
	struct port port;
	struct field field = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	port_open(&port, 40); // slice
	struct group *group = group_of(&port, rank, 2); // slice
	if ((rc = field_open(&field, group, 100)) != 0) // slice
		goto fail;
	if ((rc = field_update(&field)) != 0) // slice
		goto fail;
	printf("%g %ld\n", field.v[0], port.received);
fail:
	free(field.v);
	free(group);
	MPI_Finalize();
	return rc ? 1 : 0;
}
