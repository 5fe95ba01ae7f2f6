/* usage: class=lifecycle ranks=2
 * The rank is asked for before MPI_Init; the twin asks only what may be asked then. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank = 0, up = 0, version, minor;
	MPI_Initialized(&up);
	MPI_Get_version(&version, &minor);
	if (faulty && !up)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* ERROR */
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
