/* usage: class=lifecycle ranks=2
 * A barrier after MPI_Finalize; the twin asks only whether it was called. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, down = 0, n;
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (faulty)
		MPI_Barrier(MPI_COMM_WORLD); /* ERROR */
	MPI_Finalized(&down);
	MPI_Get_library_version(text, &n);
	return !down;
}
