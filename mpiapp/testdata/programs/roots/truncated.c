// np: 4
// named: 3
// cycle: -
// least: 0.90
// ends: yes
// says: MPI_Recv
// Particles go to the next rank, at most so many. One rank sends more than there is
// room for at the other end, where MPI ends the job.
#include <mpi.h>
#include <string.h>

enum { ROOM = 32 };

struct particles {
  int n;
  double x[4 * ROOM];
};

struct ring {
  MPI_Comm comm;
  int rank, next, before;
};

static void give(const struct ring *r, const struct particles *p)
{
  MPI_Send(p->x, p->n, MPI_DOUBLE, r->next, 7, r->comm);
}

static void take(const struct ring *r, struct particles *p)
{
  MPI_Status status;
  MPI_Recv(p->x, ROOM, MPI_DOUBLE, r->before, 7, r->comm, &status); // LAGGARD: here
  MPI_Get_count(&status, MPI_DOUBLE, &p->n);
}

static void migrate(const struct ring *r, struct particles *p)
{
  struct particles out = *p;
  if (r->rank % 2 == 0) {
    give(r, &out);
    take(r, p);
  } else {
    take(r, p);
    give(r, &out);
  }
}

int main(int argc, char **argv)
{
  struct ring r;
  struct particles p = {16, {0}};
  int size, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &r.comm);
  MPI_Comm_rank(r.comm, &r.rank);
  MPI_Comm_size(r.comm, &size);
  r.next = (r.rank + 1) % size;
  r.before = (r.rank + size - 1) % size;
  for (int step = 0; step < 10; step++) {
    if (hang && step == 6 && r.rank == 2)
      p.n = 3 * ROOM;
    migrate(&r, &p);
  }
  MPI_Comm_free(&r.comm);
  MPI_Finalize();
  return 0;
}
