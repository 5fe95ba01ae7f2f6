/* usage: class=refused ranks=2
 * With MPI_ERRORS_RETURN a send to a rank beyond the last goes unnoticed. The twin
 * has the handler too, for a file that it knows may not be there. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int word = 1, rc = MPI_SUCCESS;
	MPI_File file;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (faulty) {
		if (rank == 1)
			rc = MPI_Send(&word, 1, MPI_INT, size, 0, MPI_COMM_WORLD); /* ERROR */
	} else {
		MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
		rc = MPI_File_open(MPI_COMM_SELF, "not-there", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
	}
	if (rc == MPI_SUCCESS && !faulty)
		MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
