// tune: rank=2 size=4 stop=MPI_Recv:1
// Leaves of a quadtree are shared out by weight, and every leaf finds those beside
// it by going down the tree from a point: the halves are taken the wrong way round.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct node {
	double x, y, h; /* lower corner, and the edge */
	int leaf; /* its number, or -1 */
	struct node *kid[4]; /* x varies first */
} node;

typedef struct {
	node **leaf;
	int *owner;
	int n, cap;
} forest;

typedef struct {
	int own, other, rank;
} link_t;

typedef struct {
	link_t *at;
	int n, cap;
} links;

static node *grow(double x, double y, double h, int depth)
{
	node *t = calloc(1, sizeof *t); // slice
	t->x = x; // slice
	t->y = y; // slice
	t->h = h; // slice
	t->leaf = -1; // slice
	double dx = x + h / 2 - 0.9, dy = y + h / 2 - 0.2; // slice
	if (depth < 1 || (depth < 3 && dx * dx + dy * dy < 0.6 * h * h)) // slice
		for (int k = 0; k < 4; k++) // slice
			t->kid[k] = grow(x + (k & 1) * h / 2, y + (k >> 1) * h / 2, h / 2, depth + 1); // slice
	return t; // slice
}

static void number(node *t, forest *f)
{
	if (t->kid[0]) { // slice
		for (int k = 0; k < 4; k++) // slice
			number(t->kid[k], f); // slice
		return;
	}
	if (f->n == f->cap) { // slice
		f->cap = 2 * f->cap + 2; // slice
		f->leaf = realloc(f->leaf, f->cap * sizeof *f->leaf); // slice
		f->owner = realloc(f->owner, f->cap * sizeof *f->owner); // slice
	}
	t->leaf = f->n; // slice
	f->leaf[f->n++] = t; // slice
}

static double weight(const node *t)
{
	return 1 + 0.25 / t->h; // slice
}

static void share(forest *f, int size)
{
	double total = 0, sum = 0; // slice
	for (int i = 0; i < f->n; i++) // slice
		total += weight(f->leaf[i]); // slice
	for (int i = 0; i < f->n; i++) { // slice
		f->owner[i] = (int)(sum / total * size); // slice
		sum += weight(f->leaf[i]); // slice
	}
}

static int descend(const node *t, double x, double y)
{
	while (t->kid[0]) { // slice
		int right = x >= t->x + t->h / 2; // slice
		int upper = y >= t->y + t->h / 2; // slice
		t = t->kid[upper + 2 * right]; // root
	}
	return t->leaf; // slice
}

static void connect(links *l, const forest *f, int own, int other)
{
	if (f->owner[other] == f->owner[own]) // slice
		return;
	for (int i = 0; i < l->n; i++) // slice
		if (l->at[i].own == own && l->at[i].other == other) // slice
			return;
	if (l->n == l->cap) { // slice
		l->cap = l->cap ? l->cap * 2 : 4; // slice
		l->at = realloc(l->at, l->cap * sizeof *l->at); // slice
	}
	link_t *k = &l->at[l->n++]; // slice
	k->own = own; // slice
	k->other = other; // slice
	k->rank = f->owner[other]; // slice
}

static void find_links(links *l, const node *root, const forest *f, int rank)
{
	for (int i = 0; i < f->n; i++) { // slice
		const node *t = f->leaf[i]; // slice
		double e = 1e-6; // slice
		if (f->owner[i] != rank) // slice
			continue;
		for (int half = 1; half < 8; half += 2) { // slice
			double mx = t->x + t->h * half / 8, my = t->y + t->h * half / 8; // slice
			if (t->x > 0) // slice
				connect(l, f, i, descend(root, t->x - e, my)); // slice
			if (t->x + t->h < 1) // slice
				connect(l, f, i, descend(root, t->x + t->h + e, my)); // slice
			if (t->y > 0) // slice
				connect(l, f, i, descend(root, mx, t->y - e)); // slice
			if (t->y + t->h < 1) // slice
				connect(l, f, i, descend(root, mx, t->y + t->h + e)); // slice
		}
	}
}

static double fluxes(const links *l, double mine)
{
	double in[4], out[4] = {mine, mine, mine, mine}, sum = 0;
	MPI_Status st;
	for (int i = 0; i < l->n; i++)
		MPI_Send(out, 4, MPI_DOUBLE, l->at[i].rank, 64 * l->at[i].own + l->at[i].other, MPI_COMM_WORLD);
	for (int i = 0; i < l->n; i++) { // slice
		const link_t *k = &l->at[i]; // slice
		MPI_Recv(in, 4, MPI_DOUBLE, k->rank, 64 * k->other + k->own, MPI_COMM_WORLD, &st); // stop
		sum += in[0];
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size;
	forest f = {0}; // slice
	links l = {0}; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	node *root = grow(0, 0, 1, 0); // slice
	number(root, &f); // slice
	share(&f, size); // slice
	find_links(&l, root, &f, rank); // slice
	double sum = fluxes(&l, rank + 1.0); // slice
	printf("%d: %d leaves, %d links, %g\n", rank, f.n, l.n, sum);
	MPI_Finalize();
	return 0;
}
