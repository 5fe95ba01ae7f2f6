// report: rank=1 size=3 stop=MPI_Recv:1
// The receiver computes the tag of the exchange from another phase.
#include <mpi.h>
#include <stdio.h>

#define BASE 100

static int phase_tag(int phase, int axis)
{
	return BASE + 8 * phase + axis; // slice
}

static void unpack(const int *from, int *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] += from[i];
}

static void exchange(int rank, int phase, int axis, int *field)
{
	int buf[8], tag;
	MPI_Status st;
	if (rank == 0) { // slice
		tag = phase_tag(phase, axis);
		MPI_Send(field, 8, MPI_INT, 1, tag, MPI_COMM_WORLD);
	} else {
		tag = phase_tag(phase + 1, axis); // root
		MPI_Recv(buf, 8, MPI_INT, 0, tag, MPI_COMM_WORLD, &st); // stop
		unpack(buf, field, 8);
	}
}

int main(int argc, char **argv)
{
	int rank, field[8] = {0}, checks = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	for (int phase = 0; phase < 2; phase++) { // slice
		for (int axis = 0; axis < 3; axis++) // slice
			exchange(rank, phase, axis, field); // slice
		checks += field[phase];
	}
	printf("%d\n", checks);
	MPI_Finalize();
	return 0;
}
