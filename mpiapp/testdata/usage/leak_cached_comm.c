/* usage: class=leak ranks=2
 * A library keeps a private communicator and its buffers as an attribute of that of
 * its caller. The callback that deletes the attribute gives back the memory, but not
 * the communicator. In the twin it frees both. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 8, TAG_EXCHANGE = 3 };

struct cache {
	MPI_Comm comm;
	double *out, *in;
	int uses;
};

static int key = MPI_KEYVAL_INVALID, faulty;

static int forget(MPI_Comm comm, int k, void *value, void *extra)
{
	struct cache *c = value;
	(void)comm, (void)k, (void)extra;
	if (!faulty)
		MPI_Comm_free(&c->comm);
	free(c->out);
	free(c->in);
	free(c);
	return MPI_SUCCESS;
}

static struct cache *make(MPI_Comm comm)
{
	struct cache *c = malloc(sizeof *c);
	MPI_Comm_dup(comm, &c->comm); /* ERROR */
	c->out = calloc(ROOM, sizeof(double));
	c->in = calloc(ROOM, sizeof(double));
	c->uses = 0;
	MPI_Comm_set_attr(comm, key, c);
	return c;
}

static struct cache *cache_of(MPI_Comm comm)
{
	struct cache *c;
	int there;
	if (key == MPI_KEYVAL_INVALID)
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
	MPI_Comm_get_attr(comm, key, &c, &there);
	if (!there)
		c = make(comm);
	c->uses++;
	return c;
}

static void library_exchange(MPI_Comm comm, double *values)
{
	struct cache *c = cache_of(comm);
	int rank, size;
	MPI_Comm_rank(c->comm, &rank);
	MPI_Comm_size(c->comm, &size);
	memcpy(c->out, values, ROOM * sizeof(double));
	MPI_Sendrecv(c->out, ROOM, MPI_DOUBLE, (rank + 1) % size, TAG_EXCHANGE, c->in, ROOM, MPI_DOUBLE,
		     (rank + size - 1) % size, TAG_EXCHANGE, c->comm, MPI_STATUS_IGNORE);
	memcpy(values, c->in, ROOM * sizeof(double));
}

static void library_close(void)
{
	if (key != MPI_KEYVAL_INVALID)
		MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
	double values[ROOM];
	MPI_Comm mine;
	int rank;
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < ROOM; i++)
		values[i] = rank * ROOM + i;
	MPI_Comm_dup(MPI_COMM_WORLD, &mine);
	for (int i = 0; i < 3; i++)
		library_exchange(mine, values);
	MPI_Comm_free(&mine);
	library_close();
	MPI_Finalize();
	return 0;
}
