// tune: rank=1 size=4 stop=MPI_Recv:1
// A large structure is passed by value, with pointers to what says the source.
#include <mpi.h>
#include <stdio.h>

struct request {
	const int *base, *stride;
	int *count;
	long flags;
	int tag;
};

static int origin(struct request r, int item)
{
	return *r.base + item * *r.stride; // slice
}

static void serve(struct request r, int items)
{
	int v = 0;
	MPI_Status st;
	for (int i = 0; i < items; i++) { // slice
		int from = origin(r, i); // slice
		MPI_Recv(&v, 1, MPI_INT, from, r.tag, MPI_COMM_WORLD, &st); // stop
		*r.count += v;
	}
}

int main(int argc, char **argv)
{
	int rank, size, count = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int base = (rank + 1) % size; // slice
	int stride = size - rank; // root
	struct request r = {&base, &stride, &count, 0, 17}; // slice
	r.flags = argc;
	serve(r, 2); // slice
	printf("%d\n", count);
	MPI_Finalize();
	return 0;
}
