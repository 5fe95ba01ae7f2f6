/* usage: class=leak ranks=2
 * A reader of blocks of a grid, whose pieces are tried in turn. Errors return; when
 * a piece cannot be read, the function leaves before it frees its type. In the twin
 * it goes to a label that frees it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 4, COLUMNS = 6, PIECES = 3 };

struct grid {
	double cell[ROWS][COLUMNS];
	int read, failed;
};

static int rank, size, faulty, job;

static void name_of(char *name, size_t room, int piece)
{
	const char *dir = getenv("TMPDIR");
	snprintf(name, room, "%s/piece-%d-%d.dat", dir ? dir : "/tmp", job, piece);
}

static void write_piece(int piece)
{
	double row[COLUMNS] = {piece};
	char name[256];
	MPI_File file;
	name_of(name, sizeof name, piece);
	MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_UNIQUE_OPEN, MPI_INFO_NULL,
		      &file);
	MPI_File_write(file, row, COLUMNS, MPI_DOUBLE, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
}

static int read_piece(struct grid *grid, int piece)
{
	MPI_Datatype column;
	MPI_File file;
	char name[256];
	int error;
	name_of(name, sizeof name, piece);
	MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column); /* ERROR */
	MPI_Type_commit(&column);
	error = MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
	if (error != MPI_SUCCESS) {
		if (faulty)
			return error;
		goto out;
	}
	error = MPI_File_read(file, &grid->cell[0][piece], 1, column, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
out:
	MPI_Type_free(&column);
	return error;
}

static void read_all(struct grid *grid)
{
	for (int piece = 0; piece < PIECES; piece++) {
		if (read_piece(grid, piece) == MPI_SUCCESS)
			grid->read++;
		else
			grid->failed++;
	}
}

static void tidy(void)
{
	char name[256];
	for (int piece = 0; piece < PIECES; piece++) {
		name_of(name, sizeof name, piece);
		if (access(name, F_OK) == 0)
			MPI_File_delete(name, MPI_INFO_NULL);
	}
}

int main(int argc, char **argv)
{
	struct grid grid = {.read = 0};
	int failed;
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	job = (int)getpid();
	MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
	if (rank == 0)
		for (int piece = 0; piece < PIECES - 1; piece++) /* the last is not there */
			write_piece(piece);
	MPI_Barrier(MPI_COMM_WORLD);
	read_all(&grid);
	MPI_Allreduce(&grid.failed, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		tidy();
	MPI_Finalize();
	return failed != size;
}
