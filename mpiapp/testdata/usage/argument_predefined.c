/* usage: class=invalid_argument ranks=2
 * A predefined type is freed; the twin frees a duplicate of it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Datatype type = MPI_DOUBLE;
	if (!faulty)
		MPI_Type_dup(MPI_DOUBLE, &type);
	MPI_Type_free(&type); /* ERROR */
	MPI_Finalize();
	return 0;
}
