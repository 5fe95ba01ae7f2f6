/* usage: class=collective_mismatch ranks=3 may-hang
 * A registry of fields spreads the sizes of all fields by MPI_Ibcast and their names
 * by MPI_Bcast. Rank 0, which has read both, begins with the names, and the others
 * begin the sizes first. In the twin all do the same. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS = 4, LENGTH = 16 };

struct registry {
	int size[FIELDS];
	char name[FIELDS * LENGTH];
	MPI_Request pending;
	MPI_Comm comm;
	int rank;
};

static void read_fields(struct registry *r)
{
	for (int i = 0; i < FIELDS; i++) {
		r->size[i] = 10 * i;
		snprintf(&r->name[i * LENGTH], LENGTH, "field-%d", i);
	}
}

static void begin_sizes(struct registry *r)
{
	MPI_Ibcast(r->size, FIELDS, MPI_INT, 0, r->comm, &r->pending); /* ERROR */
}

static void spread_names(struct registry *r)
{
	MPI_Bcast(r->name, FIELDS * LENGTH, MPI_CHAR, 0, r->comm); /* ERROR */
}

static void end_sizes(struct registry *r)
{
	MPI_Wait(&r->pending, MPI_STATUS_IGNORE);
}

static void registry_open(struct registry *r)
{
	memset(r, 0, sizeof *r);
	r->pending = MPI_REQUEST_NULL;
	MPI_Comm_dup(MPI_COMM_WORLD, &r->comm);
	MPI_Comm_rank(r->comm, &r->rank);
	if (r->rank == 0)
		read_fields(r);
}

static void registry_spread(struct registry *r, int names_first)
{
	if (names_first) {
		spread_names(r);
		begin_sizes(r);
	} else {
		begin_sizes(r);
		spread_names(r);
	}
	end_sizes(r);
}

static int registry_check(struct registry *r)
{
	int wrong = 0, all;
	for (int i = 0; i < FIELDS; i++)
		wrong += r->size[i] != 10 * i;
	MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, r->comm);
	return all;
}

static void registry_close(struct registry *r)
{
	MPI_Comm_free(&r->comm);
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, wrong;
	struct registry r;
	MPI_Init(&argc, &argv);
	registry_open(&r);
	registry_spread(&r, faulty && r.rank == 0);
	wrong = registry_check(&r);
	registry_close(&r);
	MPI_Finalize();
	return wrong != 0;
}
