// tune: rank=0 size=4 stop=MPI_Barrier:1
// Stages of a run in a table: an option that cannot be read leaves the mode as it
// was, and one rank goes to a barrier where the others go to a broadcast.
#include <mpi.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mode { RESTART, COLD, CHECK };

struct options {
	long every, limit;
	enum mode mode;
	int verbose;
};

struct run {
	struct options opt;
	int rank, size, step;
	double *state;
};

static int number(const char *s, long lo, long hi, long *out)
{
	char *end;
	errno = 0; // slice
	long n = strtol(s, &end, 10); // slice
	if (errno || end == s || *end) // slice
		return -1; // slice
	if (n < lo || n > hi) // slice
		return -2; // slice
	*out = n; // slice
	return 0; // slice
}

static int options(struct options *o, const char *text)
{
	char copy[128], *word;
	int rc = 0; // slice
	snprintf(copy, sizeof copy, "%s", text); // slice
	for (word = strtok(copy, " "); word; word = strtok(NULL, " ")) { // slice
		char *value = strchr(word, '='); // slice
		if (!value) { // slice
			o->verbose++;
			continue;
		}
		*value++ = 0; // slice
		if (!strcmp(word, "every")) // slice
			rc = number(value, 1, 8, &o->every); // root
		else if (!strcmp(word, "limit")) // slice
			rc = number(value, 1, 1000, &o->limit); // slice
		if (rc) // slice
			goto fail;
	}
	o->mode = o->every > 5 ? CHECK : COLD; // slice
	return 0;
fail:
	fprintf(stderr, "options: cannot read %s\n", text);
	return rc;
}

static void restart(struct run *r)
{
	MPI_Barrier(MPI_COMM_WORLD); // stop
	r->state[0] = r->step;
}

static void cold(struct run *r)
{
	MPI_Bcast(r->state, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void check(struct run *r)
{
	double tmp = r->state[r->rank];
	MPI_Allreduce(&tmp, r->state, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void (*const begin[])(struct run *) = {restart, cold, check};

static void launch(struct run *r)
{
	void (*first)(struct run *) = begin[r->opt.mode]; // slice
	first(r); // slice
	for (r->step = 0; r->step < r->opt.limit; r->step++)
		r->state[r->step % 8] += 0.5;
}

int main(int argc, char **argv)
{
	const char *text = getenv("RUN_OPTIONS"); // slice
	struct run r = {.opt = {.every = 2, .limit = 10, .mode = RESTART}}; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &r.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &r.size);
	r.state = calloc(8, sizeof *r.state);
	if (!text) // slice
		text = r.rank == 0 ? "limit=20 every=10 trace" : "limit=20 every=4"; // slice
	if (options(&r.opt, text) != 0 && r.opt.verbose) // slice
		puts("defaults are used");
	launch(&r); // slice
	printf("%g\n", r.state[0]);
	MPI_Finalize();
	return 0;
}
