/* usage: class=file_access ranks=2
 * A file opened for writing is read; the twin opened it for both. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File file;
	int word = rank, mode = faulty ? MPI_MODE_WRONLY : MPI_MODE_RDWR;
	MPI_File_open(MPI_COMM_WORLD, "file_mode.out", MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | mode, MPI_INFO_NULL, &file);
	MPI_File_set_view(file, rank * 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_write_at(file, 0, &word, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_read_at(file, 0, &word, 1, MPI_INT, MPI_STATUS_IGNORE); /* ERROR */
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
