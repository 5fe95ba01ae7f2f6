// Each rank adds the pieces that it wrote to a manifest, under a lock of the file. The first rank also writes its head: it comes to the
// barrier with the lock, which the others want before theirs.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  int file;
} manifest_t;

static void open_manifest(manifest_t *m, const char *folder)
{
  char name[1024];
  snprintf(name, sizeof name, "%s/manifest", folder);
  m->file = open(name, O_RDWR | O_CREAT, 0600);
}

static void lock_manifest(const manifest_t *m, int kind)
{
  struct flock all = {.l_type = (short)kind, .l_whence = SEEK_SET};
  if (fcntl(m->file, F_SETLKW, &all))
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void add_line(const manifest_t *m, const char *line)
{
  lseek(m->file, 0, SEEK_END);
  if (write(m->file, line, strlen(line)) < 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void write_step(const manifest_t *m, int rank, int step, int keeps)
{
  char line[64];
  if (rank == 0) {
    lock_manifest(m, F_WRLCK);
    snprintf(line, sizeof line, "step %d\n", step);
    add_line(m, line);
    if (!keeps)
      lock_manifest(m, F_UNLCK);
    MPI_Bcast(&step, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    lock_manifest(m, F_UNLCK);
    return;
  }
  MPI_Bcast(&step, 1, MPI_INT, 0, MPI_COMM_WORLD);
  lock_manifest(m, F_WRLCK);
  snprintf(line, sizeof line, "  piece of rank %d\n", rank);
  add_line(m, line);
  lock_manifest(m, F_UNLCK);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  int rank;
  manifest_t m;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  open_manifest(&m, argv[2]);
  for (int step = 0; step < 4; step++)
    write_step(&m, rank, step, step == 2 && strcmp(argv[1], "hang") == 0);
  MPI_Finalize();
}
