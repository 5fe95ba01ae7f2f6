/* usage: class=invalid_argument ranks=2
 * Messages are told apart by a hash of the name of their field. It uses all bits of
 * an int, while a tag may be at most MPI_TAG_UB and not negative. In the twin the
 * hash is brought below it. */
#include <mpi.h>
#include <string.h>

enum { FIELDS = 3, VALUES = 6 };

struct field {
	const char *name;
	double out[VALUES], in[VALUES];
};

static int rank, faulty, highest;

static unsigned hash(const char *name)
{
	unsigned h = 2166136261u;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h | 0x80000000u; /* those without a name of their own are below */
}

static int tag_of(const struct field *f)
{
	unsigned h = hash(f->name);
	if (!faulty)
		h %= (unsigned)highest;
	return (int)h;
}

static void read_limit(void)
{
	int *limit, there;
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &there);
	highest = there ? *limit : 32767;
}

static void post(struct field *f, int other, MPI_Request *request)
{
	MPI_Irecv(f->in, VALUES, MPI_DOUBLE, other, tag_of(f), MPI_COMM_WORLD, request); /* ERROR */
}

static void ship(struct field *f, int other)
{
	MPI_Send(f->out, VALUES, MPI_DOUBLE, other, tag_of(f), MPI_COMM_WORLD); /* ERROR */
}

static void exchange(struct field *field, int other)
{
	MPI_Request request[FIELDS];
	for (int i = 0; i < FIELDS; i++)
		post(&field[i], other, &request[i]);
	for (int i = FIELDS - 1; i >= 0; i--)
		ship(&field[i], other);
	MPI_Waitall(FIELDS, request, MPI_STATUSES_IGNORE);
}

static void blend(struct field *f)
{
	for (int i = 0; i < VALUES; i++)
		f->out[i] = 0.5 * (f->out[i] + f->in[i]);
}

static void fill(struct field *f, double start)
{
	for (int i = 0; i < VALUES; i++) {
		f->out[i] = start + i;
		f->in[i] = 0;
	}
}

int main(int argc, char **argv)
{
	struct field field[FIELDS] = {{.name = "density"}, {.name = "energy"}, {.name = "velocity"}};
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	read_limit();
	for (int i = 0; i < FIELDS; i++)
		fill(&field[i], 100 * rank + i);
	for (int step = 0; step < 2; step++) {
		exchange(field, 1 - rank);
		for (int i = 0; i < FIELDS; i++)
			blend(&field[i]);
	}
	MPI_Finalize();
	return 0;
}
