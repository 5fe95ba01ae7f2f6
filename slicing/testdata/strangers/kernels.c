// tune: rank=2 size=4 stop=MPI_Recv:3 data=1
// Kernels in a table of function pointers, each with a period read from text: one
// that is given in seconds is taken for milliseconds and runs in every step.
#include <mpi.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS 8
#define STEP_MS 250L

struct state {
	int rank, size;
	double u[64], flux[64];
	double clock;
};

typedef void kernel(struct state *s, int tag);

struct entry {
	char name[12];
	kernel *run;
	long period;
	int tag;
	double spent;
};

struct table {
	struct entry entry[KERNELS];
	int n;
};

static void diffuse(struct state *s, int tag)
{
	for (int i = 1; i < 63; i++)
		s->flux[i] = s->u[i + 1] - 2 * s->u[i] + s->u[i - 1] + 1e-9 * tag;
}

static void advance(struct state *s, int tag)
{
	for (int i = 1; i < 63; i++)
		s->u[i] += 0.1 * s->flux[i];
	s->clock += STEP_MS * 1e-3 + 0 * tag;
}

static void halo(struct state *s, int tag)
{
	MPI_Status st;
	int left = (s->rank + s->size - 1) % s->size; // slice
	int right = (s->rank + 1) % s->size;
	MPI_Send(&s->u[62], 1, MPI_DOUBLE, right, tag, MPI_COMM_WORLD);
	MPI_Recv(&s->u[0], 1, MPI_DOUBLE, left, tag, MPI_COMM_WORLD, &st); // stop
}

static int add(struct table *t, const char *name, kernel *run, int tag)
{
	if (t->n == KERNELS) // slice
		return -1;
	struct entry *e = &t->entry[t->n++]; // slice
	strncpy(e->name, name, sizeof e->name - 1); // slice
	e->name[sizeof e->name - 1] = 0; // slice
	e->run = run; // slice
	e->tag = tag; // slice
	e->period = STEP_MS; // slice
	return 0;
}

static struct entry *lookup(struct table *t, const char *name, size_t length)
{
	for (int i = 0; i < t->n; i++) // slice
		if (strlen(t->entry[i].name) == length && !strncmp(t->entry[i].name, name, length)) // slice
			return &t->entry[i]; // slice
	return NULL; // slice
}

static long milliseconds(const char *text)
{
	char *end;
	errno = 0; // slice
	long v = strtol(text, &end, 10); // slice
	if (errno || v < 0) // slice
		return 0; // slice
	if (end[0] == 'm' && end[1] == 'i') // slice
		return v * 60000; // slice
	return *end == 's' && end[1] ? v * 1000 : v; // root
}

/* configure reads "name=period,name=period". */
static void configure(struct table *t, const char *text)
{
	while (*text) { // slice
		const char *eq = strchr(text, '='); // slice
		if (!eq) // slice
			return;
		struct entry *e = lookup(t, text, (size_t)(eq - text)); // slice
		if (e) // slice
			e->period = milliseconds(eq + 1); // slice
		const char *comma = strchr(eq, ','); // slice
		if (!comma) // slice
			return;
		text = comma + 1; // slice
	}
}

static void step(struct table *t, struct state *s, long now)
{
	for (int i = 0; i < t->n; i++) { // slice
		struct entry *e = &t->entry[i]; // slice
		if (e->period == 0 || now % e->period == 0) // slice
			e->run(s, e->tag); // slice
		e->spent += STEP_MS * 1e-3;
	}
}

int main(int argc, char **argv)
{
	struct state s = {0};
	struct table t = {0}; // slice
	const char *periods = getenv("KERNEL_PERIODS"); // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &s.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &s.size); // slice
	add(&t, "diffuse", diffuse, 0); // slice
	add(&t, "advance", advance, 0); // slice
	add(&t, "halo", halo, 21); // slice
	configure(&t, periods ? periods : "advance=250,halo=1s"); // slice
	for (long now = 0; now < 4 * STEP_MS; now += STEP_MS) // slice
		step(&t, &s, now); // slice
	printf("%g %g\n", s.u[1], s.clock);
	MPI_Finalize();
	return 0;
}
