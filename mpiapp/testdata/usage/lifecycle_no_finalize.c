/* usage: class=lifecycle ranks=2
 * The program returns without MPI_Finalize; the twin finalizes as it exits. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void end(void)
{
	MPI_Finalize();
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv); /* ERROR */
	if (!faulty)
		atexit(end);
	MPI_Barrier(MPI_COMM_WORLD); /* ERROR */
	return 0;
}
