/* usage: class=leak ranks=2
 * An error handler stays. The twin frees it while it is in use. */
#include <mpi.h>
#include <string.h>

static void note(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Errhandler handler;
	MPI_Comm_create_errhandler(note, &handler); /* ERROR */
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	if (!faulty)
		MPI_Errhandler_free(&handler);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
