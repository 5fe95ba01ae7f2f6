/* usage: class=invalid_argument|buffer_overlap ranks=3
 * A sum into the buffer that it comes from; the twin says so. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	int values[4] = {1, 2, 3, 4};
	if (faulty)
		MPI_Allreduce(values, values, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
