// Rank 2 goes past a collective. Of the variable in the condition, another value is in memory when the ranks are looked at, in all ways
// but the last.
#include <mpi.h>
#include <string.h>

static int rank, sum;

static void reuse(void)
{
	for (int step = 0; step < 6; step++) {
		int left = rank == 2 && step == 3 ? 0 : 10 + step;
		if (left > 0)
			MPI_Allreduce(&left, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		left = step + 100;
		MPI_Barrier(MPI_COMM_WORLD);
		sum += left;
	}
}

static void shadow(void)
{
	int n = 5;
	{
		int n = rank == 2 ? 0 : 4;
		if (n > 0)
			MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	sum += n;
}

static void recur(int level, int cells)
{
	if (cells > 0)
		MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (level < 5)
		recur(level + 1, rank == 2 && level == 2 ? 0 : cells + 10);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void keep(const char *name)
{
	for (int step = 0; step < 6; step++) {
		int left = rank == 2 && step == 3 ? 0 : 10 + step;
		if (left > 0 || strcmp(name, "keep"))
			MPI_Allreduce(&left, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!strcmp(way, "reuse"))
		reuse();
	else if (!strcmp(way, "shadow"))
		shadow();
	else if (!strcmp(way, "recur"))
		recur(0, 8);
	else
		keep(way);
	MPI_Finalize();
}
