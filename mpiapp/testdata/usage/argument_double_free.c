/* usage: class=invalid_argument|request_misuse ranks=2
 * A communicator is freed through two handles; in the twin each is one of its own. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm comm, copy;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	if (faulty)
		copy = comm;
	else
		MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_free(&comm);
	MPI_Comm_free(&copy); /* ERROR */
	MPI_Finalize();
	return 0;
}
