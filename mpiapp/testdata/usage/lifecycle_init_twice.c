/* usage: class=lifecycle ranks=2
 * A library initialises MPI again; the twin's asks first. */
#include <mpi.h>
#include <string.h>

static void library(int faulty)
{
	int up, level;
	MPI_Initialized(&up);
	if (faulty || !up)
		MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &level); /* ERROR */
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	library(faulty);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
