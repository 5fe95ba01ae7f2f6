/* usage: class=invalid_argument|refused ranks=3
 * A log with a header and a record of each rank. The offset of a record is reckoned
 * from the end of the header by a rank that counts from 1; rank 0, which writes the
 * header, so gets one before the begin of the file. In the twin it counts from 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 16, RECORD = 64, ROUNDS = 2 };

struct log {
	MPI_File file;
	MPI_Offset begin;
	char name[256];
	int first; /* of the ranks */
};

static int rank, size;

static void log_open(struct log *l)
{
	const char *dir = getenv("TMPDIR");
	int job = (int)getpid();
	MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD);
	snprintf(l->name, sizeof l->name, "%s/log-%d.dat", dir ? dir : "/tmp", job);
	MPI_File_open(MPI_COMM_WORLD, l->name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
		      MPI_INFO_NULL, &l->file);
	MPI_File_set_errhandler(l->file, MPI_ERRORS_RETURN);
	l->begin = HEADER;
}

static void log_header(struct log *l)
{
	char header[HEADER] = "LOG 1";
	if (rank == 0)
		MPI_File_write_at(l->file, 0, header, HEADER, MPI_CHAR, MPI_STATUS_IGNORE);
	MPI_File_sync(l->file);
	MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Offset log_place(const struct log *l)
{
	return l->begin + (MPI_Offset)(rank - l->first) * RECORD;
}

static void log_write(struct log *l, int round, double norm)
{
	char record[RECORD] = "";
	snprintf(record, sizeof record, "round %d of rank %d: %g", round, rank, norm);
	MPI_File_write_at(l->file, log_place(l), record, RECORD, MPI_CHAR, MPI_STATUS_IGNORE); /* ERROR */
	l->begin += (MPI_Offset)size * RECORD;
}

static double relax(double *x, int n)
{
	double norm = 0;
	for (int i = 1; i < n - 1; i++) {
		double old = x[i];
		x[i] = 0.5 * (x[i - 1] + x[i + 1]);
		norm += (x[i] - old) * (x[i] - old);
	}
	return norm;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	double x[10] = {1}, norm;
	struct log l;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	l.first = faulty ? 1 : 0;
	log_open(&l);
	log_header(&l);
	for (int round = 0; round < ROUNDS; round++) {
		double mine = relax(x, 10);
		MPI_Allreduce(&mine, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		log_write(&l, round, norm);
	}
	MPI_File_close(&l.file);
	MPI_Finalize();
	return 0;
}
