/* usage: class=invalid_type ranks=2
 * A resized type is gathered that only its base was committed of. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	int data[2] = {0}, all[16];
	MPI_Datatype base, wide;
	MPI_Type_contiguous(2, MPI_INT, &base);
	MPI_Type_commit(&base);
	MPI_Type_create_resized(base, 0, 16, &wide);
	if (!faulty)
		MPI_Type_commit(&wide);
	MPI_Gather(data, 1, base, all, 1, wide, 0, MPI_COMM_WORLD); /* ERROR */
	MPI_Type_free(&base);
	MPI_Type_free(&wide);
	MPI_Finalize();
	return 0;
}
