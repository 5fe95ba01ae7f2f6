// tune: rank=1 size=4 stop=MPI_Recv:1
// An input deck with a callback for each keyword: the handler of "halo" stores
// the width where the depth belongs, and the schedule is one stage too long.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct deck {
	char title[32];
	int width, depth, stages;
	double cfl;
	int npx;
};

static void set_title(struct deck *d, const char *arg)
{
	snprintf(d->title, sizeof d->title, "%s", arg);
}

static void set_grid(struct deck *d, const char *arg)
{
	d->npx = (int)strtol(arg, NULL, 10); // slice
}

static void set_halo(struct deck *d, const char *arg)
{
	int width = 1, depth = 1; // slice
	int n = sscanf(arg, "%d:%d", &width, &depth); // slice
	if (n == 2) { // slice
		d->width = depth;
		d->depth = width; // root
	}
}

static void set_cfl(struct deck *d, const char *arg)
{
	d->cfl = strtod(arg, NULL);
}

static const struct {
	const char *key;
	void (*set)(struct deck *, const char *);
} keywords[] = {{"title", set_title}, {"grid", set_grid}, {"halo", set_halo}, {"cfl", set_cfl}};

static const char *lines[] = {"title shock tube", "cfl 0.4", "halo 3:1", "grid 2", "end"};

static int parse(struct deck *d, const char *line)
{
	char key[32];
	int i, n = 0;
	if (sscanf(line, "%31s %n", key, &n) != 1 || !strcmp(key, "end")) // slice
		return 0; // slice
	for (i = 0; i < (int)(sizeof keywords / sizeof *keywords); i++) // slice
		if (!strcmp(key, keywords[i].key)) { // slice
			keywords[i].set(d, line + n); // slice
			return 1; // slice
		}
	fprintf(stderr, "unknown keyword %s\n", key);
	exit(2);
}

static void finish(struct deck *d)
{
	const char *env = getenv("DECK_STAGES"); // slice
	d->stages = env ? atoi(env) : 2; // slice
	if (d->stages < d->depth) // slice
		d->stages = d->depth; // slice
	if (d->cfl > 1)
		d->cfl = 1;
}

static void sweep(const struct deck *d, int rank, double *v, int n)
{
	MPI_Status st;
	int i;
	for (i = 0; i < d->stages; i++) { // slice
		if (rank % d->npx == 0) // slice
			MPI_Send(v, n, MPI_DOUBLE, rank + 1, i, MPI_COMM_WORLD);
		else if (i == d->stages - 1) // slice
			MPI_Recv(v, n, MPI_DOUBLE, rank - 1, i, MPI_COMM_WORLD, &st); // stop
	}
}

int main(int argc, char **argv)
{
	int rank, i, n = 16; // slice
	double v[16];
	struct deck deck = {.width = 1, .depth = 1, .npx = 1}; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	for (i = 0; parse(&deck, lines[i]); i++) // slice
		;
	finish(&deck); // slice
	for (i = 0; i < n; i++)
		v[i] = rank * deck.cfl + i;
	sweep(&deck, rank, v, n); // slice
	printf("%s %g %d\n", deck.title, v[0], deck.width);
	MPI_Finalize();
	return 0;
}
