// report: rank=0 size=3 stop=MPI_Recv:2 data=1,1
// A master counts its idle workers wrongly, and waits for one that is not busy.
#include <mpi.h>
#include <stdio.h>

struct pool {
	int busy, idle, done;
};

static void pool_init(struct pool *p, int workers)
{
	p->idle = 0;
	p->done = 0;
	p->busy = workers; // slice
}

static void finished(struct pool *p, int more)
{
	if (more > 1) // slice
		p->busy--; // root
	p->done++;
}

static long digest(long h, int v)
{
	return (h ^ v) * 16777619;
}

int main(int argc, char **argv)
{
	int rank, size, answer = 0;
	long h = 2166136261;
	struct pool p;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	if (rank == 0) { // slice
		pool_init(&p, size - 1); // slice
		while (p.busy > 0) { // slice
			MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &st); // stop
			h = digest(h, answer);
			finished(&p, answer); // slice
		}
		printf("%ld %d\n", h, p.done);
	} else {
		answer = rank;
		MPI_Send(&answer, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
