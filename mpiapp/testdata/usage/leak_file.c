/* usage: class=leak ranks=2
 * A file is not closed. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File file;
	MPI_File_open(MPI_COMM_WORLD, "leak_file.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file); /* ERROR */
	MPI_File_write_at(file, rank * sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
	if (!faulty)
		MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
