// np: 6
// named: 1
// cycle: 0,1
// most: 0.50
// A layer of buffered output: a writer collects the pieces of its group. A writer of
// one set may have to give up its own piece of another, and looks for the request
// while it collects. Requests of all sets have one tag: rank 1 takes that of rank 0
// for the set that it writes itself, has nothing to give, and later waits for it.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REQUEST = 31, SIZE, DATA };

struct pio_group {
  int writer, n, members[6];
};

struct pio_file {
  MPI_Comm comm;
  const struct pio_group *group; // the one that this rank belongs to
  int used;
  char buffer[256];
};

static const struct pio_group small_groups[2] = {{1, 3, {0, 1, 2}}, {4, 3, {3, 4, 5}}};
static const struct pio_group large_groups[2] = {{0, 2, {0, 1}}, {3, 4, {2, 3, 4, 5}}};

static int me;

static const struct pio_group *group_of(const struct pio_group groups[2])
{
  for (int i = 0; i < groups[0].n; i++)
    if (groups[0].members[i] == me)
      return &groups[0];
  return &groups[1];
}

/* give sends the piece of this rank to who asked for it. A writer has its own. */
static void give(struct pio_file *f, int to)
{
  if (f->group->writer == me)
    return;
  MPI_Send(&f->used, 1, MPI_INT, to, SIZE, f->comm);
  MPI_Send(f->buffer, f->used, MPI_CHAR, to, DATA, f->comm);
  f->used = 0;
}

static void await_request(struct pio_file *f)
{
  int set;
  MPI_Status from;
  MPI_Recv(&set, 1, MPI_INT, MPI_ANY_SOURCE, REQUEST, f->comm, &from); // LAGGARD: here
  give(f, from.MPI_SOURCE);
}

static void serve_meanwhile(struct pio_file *f)
{
  int asked, set;
  MPI_Status from;
  MPI_Iprobe(MPI_ANY_SOURCE, REQUEST, f->comm, &asked, &from);
  if (!asked)
    return;
  MPI_Recv(&set, 1, MPI_INT, from.MPI_SOURCE, REQUEST, f->comm, &from);
  give(f, from.MPI_SOURCE);
}

static void collect(struct pio_file *f, int from, int dual)
{
  int size, there = !dual, set = 1;
  char piece[256];
  MPI_Send(&set, 1, MPI_INT, from, REQUEST, f->comm);
  while (!there) {
    MPI_Iprobe(from, SIZE, f->comm, &there, MPI_STATUS_IGNORE);
    serve_meanwhile(f);
    usleep(500);
  }
  MPI_Recv(&size, 1, MPI_INT, from, SIZE, f->comm, MPI_STATUS_IGNORE);
  MPI_Recv(piece, size, MPI_CHAR, from, DATA, f->comm, MPI_STATUS_IGNORE);
}

static void close_for_write(struct pio_file *f, int dual)
{
  const struct pio_group *g = f->group;
  if (g->writer != me) {
    await_request(f);
    return;
  }
  for (int i = 0; i < g->n; i++)
    if (g->members[i] != me)
      collect(f, g->members[i], dual);
  f->used = 0;
}

static void output(MPI_Comm comm, int overlap)
{
  struct pio_file small = {comm, group_of(small_groups), 8, "small"}, large = {comm, group_of(large_groups), 200, "large"};
  if (overlap && me == 2)
    usleep(600000);
  close_for_write(&small, overlap && me == 1);
  if (!overlap)
    MPI_Barrier(comm);
  close_for_write(&large, 0);
  MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
  MPI_Comm comm;
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &me);
  for (int step = 0; step < 4; step++)
    output(comm, hang && step == 2);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
