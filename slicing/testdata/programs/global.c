// tune: rank=1 size=2 stop=MPI_Recv:1
// A global that one module sets decides where another one receives from.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int master = 0;
int debug_level;
static int nodes_per_group;

static void read_settings(void)
{
	const char *s = getenv("DEBUG_LEVEL");
	debug_level = s ? atoi(s) : 0;
	nodes_per_group = 2; // slice
}

static void elect(int rank)
{
	int group = rank / nodes_per_group; // slice
	if (debug_level > 1)
		printf("group %d\n", group);
	master = group * nodes_per_group + 1; // root
}

static int receive_work(void)
{
	int w;
	MPI_Status st;
	MPI_Recv(&w, 1, MPI_INT, master, 0, MPI_COMM_WORLD, &st); // stop
	if (debug_level)
		printf("work %d\n", w);
	return w;
}

int main(int argc, char **argv)
{
	int rank, done = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	read_settings(); // slice
	elect(rank); // slice
	if (rank != 0) // slice
		done = receive_work(); // slice
	printf("%d\n", done);
	MPI_Finalize();
	return 0;
}
