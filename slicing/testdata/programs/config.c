// report: rank=1 size=4 stop=MPI_Bcast:1
// A parser of options takes the wrong default.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct option {
	const char *name;
	int value;
};

static int lookup(const struct option *o, int n, const char *name, int otherwise)
{
	for (int i = 0; i < n; i++) // slice
		if (strcmp(o[i].name, name) == 0) // slice
			return o[i].value; // slice
	return otherwise; // slice
}

static void report(const struct option *o, int n)
{
	for (int i = 0; i < n; i++)
		printf("%s=%d\n", o[i].name, o[i].value);
}

int main(int argc, char **argv)
{
	struct option opts[2];
	int rank, n = 0; // slice
	double field[8] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	opts[n].name = "levels"; // slice
	opts[n++].value = 3; // slice
	if (rank == 0) { // slice
		opts[n].name = "reader"; // slice
		opts[n++].value = 0; // slice
	}
	report(opts, n);
	int reader = lookup(opts, n, "reader", rank); // root
	MPI_Bcast(field, 8, MPI_DOUBLE, reader, MPI_COMM_WORLD); // stop
	printf("%g\n", field[0]);
	MPI_Finalize();
	return 0;
}
