// np: 6
// named: 2
// cycle: 1,2
// least: 0.60
// parts: extra
// Halo exchange with a monitor. One rank finds its energy odd and calls the monitor,
// which meets all ranks; the others wait for its halo.
#include <mpi.h>
#include <math.h>
#include <string.h>

struct mesh {
  MPI_Comm comm;
  int rank, left, right;
  double cells[64];
};

static void monitor(struct mesh *m)
{
  double worst;
  MPI_Allreduce(&m->cells[1], &worst, 1, MPI_DOUBLE, MPI_MAX, m->comm); // LAGGARD: here
}

static void exchange(struct mesh *m)
{
  MPI_Request r[4];
  MPI_Irecv(&m->cells[0], 1, MPI_DOUBLE, m->left, 1, m->comm, &r[0]);
  MPI_Irecv(&m->cells[63], 1, MPI_DOUBLE, m->right, 2, m->comm, &r[1]);
  MPI_Isend(&m->cells[62], 1, MPI_DOUBLE, m->right, 1, m->comm, &r[2]);
  MPI_Isend(&m->cells[1], 1, MPI_DOUBLE, m->left, 2, m->comm, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

static int suspicious(const struct mesh *m, double limit)
{
  return fabs(m->cells[1]) > limit;
}

static void advance(struct mesh *m, double limit)
{
  for (int i = 1; i < 63; i++)
    m->cells[i] = 0.25 * (m->cells[i - 1] + 2 * m->cells[i] + m->cells[i + 1]);
  if (suspicious(m, limit))
    monitor(m);
  exchange(m);
}

int main(int argc, char **argv)
{
  struct mesh m = {.cells = {0}};
  int size, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &m.comm);
  MPI_Comm_rank(m.comm, &m.rank);
  MPI_Comm_size(m.comm, &size);
  m.left = (m.rank + size - 1) % size;
  m.right = (m.rank + 1) % size;
  for (int step = 0; step < 30; step++) {
    if (hang && m.rank == 2 && step == 17)
      m.cells[1] = 1e6;
    advance(&m, 1e3);
    if (step % 5 == 4)
      monitor(&m);
  }
  MPI_Comm_free(&m.comm);
  MPI_Finalize();
  return 0;
}
