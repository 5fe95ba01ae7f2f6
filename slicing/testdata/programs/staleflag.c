// report: rank=1 size=2 stop=MPI_Recv:2 data=1
// A flag that says a message is there is not reset after the message is taken.
#include <mpi.h>
#include <stdio.h>

static int pending;
static int total;

static void note_arrival(int step)
{
	if (step == 2) // slice
		pending = 1; // slice
}

static int take(int from)
{
	int value;
	MPI_Status st;
	MPI_Recv(&value, 1, MPI_INT, from, 6, MPI_COMM_WORLD, &st); // stop
	return value;
}

static double compute(int step)
{
	double x = step;
	for (int i = 0; i < 50; i++)
		x = x * 0.5 + 1;
	return x;
}

int main(int argc, char **argv)
{
	int rank;
	double x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	for (int step = 0; step < 100; step++) { // slice
		x += compute(step);
		note_arrival(step); // slice
		if (rank == 1 && pending) { // root
			total += take(0); // slice
		}
	}
	printf("%g %d\n", x, total);
	MPI_Finalize();
	return 0;
}
