// tune: rank=2 size=4 stop=MPI_Recv:2 data=1
// A tree of boxes is built and its weights summed upwards; the right half is summed
// from the left.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct box {
	int lo, hi, n;
	double mass;
	struct box *left, *right;
};

static struct box *build(int lo, int hi)
{
	struct box *b = malloc(sizeof *b); // slice
	if (!b)
		abort();
	b->lo = lo; // slice
	b->hi = hi; // slice
	b->n = 0; // slice
	b->mass = 0;
	b->left = b->right = NULL; // slice
	if (hi - lo > 1) { // slice
		b->left = build(lo, (lo + hi) / 2); // slice
		b->right = build((lo + hi) / 2, hi); // slice
	}
	return b; // slice
}

static void insert(struct box *b, int key, double mass)
{
	while (b->left) { // slice
		b->mass += mass;
		b = key < b->right->lo ? b->left : b->right; // slice
	}
	b->n++; // slice
	b->mass += mass;
}

static void sum(struct box *b)
{
	if (!b->left) // slice
		return; // slice
	sum(b->left); // slice
	sum(b->right); // slice
	b->n = b->left->n + b->left->n; // root
}

static int shared(const struct box *root, int rank)
{
	return root->left->n + (rank % 2 ? 0 : root->right->n); // slice
}

static void exchange(const struct box *root, int rank, int size)
{
	double x = root->mass, y;
	MPI_Status st;
	int n = shared(root, rank); // slice
	for (int i = 0; i < n; i++) { // slice
		MPI_Send(&x, 1, MPI_DOUBLE, (rank + 1) % size, i, MPI_COMM_WORLD);
		MPI_Recv(&y, 1, MPI_DOUBLE, (rank + size - 1) % size, i, MPI_COMM_WORLD, &st); // stop
		x += y;
	}
	printf("%g\n", x);
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	struct box *root = build(0, 8); // slice
	for (int i = 0; i < 12; i++) // slice
		insert(root, i * i % 8, 0.5 * i); // slice
	sum(root); // slice
	exchange(root, rank, size); // slice
	MPI_Finalize();
	return 0;
}
