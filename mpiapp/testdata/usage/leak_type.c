/* usage: class=leak ranks=2
 * A type's handle is overwritten by the next (Umpire, Figure 9). */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Datatype type;
	MPI_Type_contiguous(128, MPI_INT, &type); /* ERROR */
	if (!faulty)
		MPI_Type_free(&type);
	MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
