// tune: rank=1 size=4 stop=MPI_Recv:2 data=7 peer=0:MPI_Send:1
// Arrays in structs: of the arrays in one global, one local and one heap struct only some matter.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX 8

struct neighbours {
	int count;
	int rank[MAX];
	int tag[MAX];
	double weight[MAX];
};

struct domain {
	int id;
	double cells[16];
	struct neighbours around;
	int steps;
};

static struct {
	int sizes[MAX];
	int order[MAX];
	int verbose;
} table;

static void init_table(int size)
{
	for (int i = 0; i < MAX; i++) { // slice
		table.sizes[i] = 16 * i;
		table.order[i] = (i + 1) % size; // slice
	}
	table.verbose = 0;
}

static struct domain *domain_new(int rank, int size)
{
	struct domain *d = malloc(sizeof *d); // slice
	d->id = rank;
	d->steps = 4;
	d->around.count = 2; // slice
	for (int i = 0; i < 16; i++)
		d->cells[i] = rank * 0.5;
	for (int i = 0; i < d->around.count; i++) { // slice
		d->around.rank[i] = table.order[(rank + i) % size]; // slice
		d->around.tag[i] = 20 + i; // root
		d->around.weight[i] = 1.0 / (i + 1);
	}
	return d; // slice
}

static void exchange(struct domain *d, int which)
{
	double in[16];
	MPI_Recv(in, 16, MPI_DOUBLE, d->around.rank[which], d->around.tag[which], MPI_COMM_WORLD, (MPI_Status *)0); // stop
	for (int i = 0; i < 16; i++)
		d->cells[i] += in[i] * d->around.weight[which];
}

int main(int argc, char **argv)
{
	int rank, size;
	struct { double norm[4]; int parts[4]; int first; } local;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	init_table(size); // slice
	for (int i = 0; i < 4; i++) { // slice
		local.norm[i] = i;
		local.parts[i] = i % 2; // slice
	}
	local.first = 3;
	if (rank == 0) {
		int steps = 5;
		steps += table.sizes[1];
		MPI_Send(&steps, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
	}
	struct domain *d = domain_new(rank, size); // slice
	MPI_Recv(&d->steps, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, (MPI_Status *)0);
	exchange(d, local.parts[3]); // slice
	printf("%g %d %g\n", d->cells[0], d->steps, local.norm[local.first]);
	free(d);
	MPI_Finalize();
	return 0;
}
