/* usage: class=leak ranks=2
 * Checkpoints by MPI-IO with a view for each rank. If a step has not changed the
 * state, the function returns before it writes, and the file it has opened stays
 * open. In the twin it looks before it opens. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 3, COLUMNS = 4, STEPS = 3 };

struct state {
	double cell[ROWS][COLUMNS];
	double written;
	MPI_Datatype slab;
	char name[256];
};

static int rank, size, faulty;

static double sum_of(const struct state *s)
{
	double mine = 0, all;
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			mine += s->cell[i][j];
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

static void state_open(struct state *s)
{
	const char *dir = getenv("TMPDIR");
	int job = (int)getpid(), whole[2] = {ROWS, COLUMNS * size}, part[2] = {ROWS, COLUMNS};
	int start[2] = {0, COLUMNS * rank};
	MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD);
	snprintf(s->name, sizeof s->name, "%s/checkpoint-%d.dat", dir ? dir : "/tmp", job);
	MPI_Type_create_subarray(2, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &s->slab);
	MPI_Type_commit(&s->slab);
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			s->cell[i][j] = rank + i * j;
	s->written = -1;
}

static void state_close(struct state *s)
{
	MPI_Type_free(&s->slab);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_File_delete(s->name, MPI_INFO_NULL);
}

static int unchanged(const struct state *s)
{
	return sum_of(s) == s->written;
}

static void checkpoint(struct state *s)
{
	MPI_File file;
	if (!faulty && unchanged(s))
		return;
	MPI_File_open(MPI_COMM_WORLD, s->name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file); /* ERROR */
	if (faulty && unchanged(s))
		return;
	MPI_File_set_view(file, 0, MPI_DOUBLE, s->slab, "native", MPI_INFO_NULL);
	MPI_File_write_all(file, s->cell, ROWS * COLUMNS, MPI_DOUBLE, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	s->written = sum_of(s);
}

static void advance(struct state *s, int step)
{
	if (step == 1) /* nothing happens in this one */
		return;
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			s->cell[i][j] += step + 1;
}

int main(int argc, char **argv)
{
	struct state s;
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	state_open(&s);
	for (int step = 0; step < STEPS; step++) {
		advance(&s, step);
		checkpoint(&s);
	}
	state_close(&s);
	MPI_Finalize();
	return 0;
}
