/* usage: class=leak ranks=3
 * The group of a communicator is asked for and kept; the twin frees it before the
 * communicator that it was for. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	int ranks[2] = {0, 1};
	MPI_Group world, two;
	MPI_Comm pair;
	MPI_Comm_group(MPI_COMM_WORLD, &world); /* ERROR */
	MPI_Group_incl(world, 2, ranks, &two);
	MPI_Comm_create(MPI_COMM_WORLD, two, &pair);
	MPI_Group_free(&two);
	if (!faulty)
		MPI_Group_free(&world);
	if (pair != MPI_COMM_NULL)
		MPI_Comm_free(&pair);
	MPI_Finalize();
	return 0;
}
