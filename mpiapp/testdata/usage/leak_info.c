/* usage: class=leak ranks=2
 * A duplicate of an info object stays. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Info info, same;
	MPI_Info_create(&info);
	MPI_Info_set(info, "no_locks", "true");
	MPI_Info_dup(info, &same); /* ERROR */
	MPI_Info_free(&info);
	if (!faulty)
		MPI_Info_free(&same);
	MPI_Finalize();
	return 0;
}
