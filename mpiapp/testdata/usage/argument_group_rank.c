/* usage: class=invalid_argument ranks=3
 * A group with a rank that there is none of; the twin takes its ranks by a range. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	int ranks[2] = {0, 3}, range[1][3] = {{2, 0, -2}};
	MPI_Group world, some;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	if (faulty)
		MPI_Group_incl(world, 2, ranks, &some); /* ERROR */
	else
		MPI_Group_range_incl(world, 1, range, &some);
	MPI_Group_free(&some);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
