// np: 4
// says: Rank 2 is least progressed, of 4 ranks (confidence 0.70
// says: because: for the first time rank 2 went on without MPI_Isend (swarm.c:@1) to rank 3, which waits for the message
// says: decided at hand_over (swarm.c:@2)
// not: Ranks 2-3 are
// not: took before
// Particles move around a ring of cells, to the right and to the left. A cell from which none leaves sends no message, and the cell
// beside it waits for one.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { capacity = 64 };

struct swarm {
  int rank, right, left, frugal;
  int n;
  double at[capacity], leaving[2][capacity];
  int count[2];
};

static void push(struct swarm *s, int step, int calm)
{
  for (int side = 0; side < 2; side++) {
    s->count[side] = s->rank == calm && side == 0 ? 9 - step : 20 - step + s->rank;
    for (int k = 0; k < s->count[side]; k++)
      s->leaving[side][k] = s->rank + 0.1 * k;
  }
}

static int hand_over(struct swarm *s, int side, int to, int from)
{
  MPI_Request sent = MPI_REQUEST_NULL;
  MPI_Status status;
  int n;
  if (s->count[side] > 0 || !s->frugal) // LAGGARD: 2
    MPI_Isend(s->leaving[side], s->count[side], MPI_DOUBLE, to, 20 + side, MPI_COMM_WORLD, &sent); // LAGGARD: 1
  MPI_Probe(from, 20 + side, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &n);
  MPI_Recv(s->at, n, MPI_DOUBLE, from, 20 + side, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  return n;
}

static void migrate(struct swarm *s)
{
  s->n += hand_over(s, 0, s->right, s->left);
  s->n += hand_over(s, 1, s->left, s->right);
}

int main(int argc, char **argv)
{
  struct swarm s = {.n = 0};
  int size, total;
  MPI_Init(&argc, &argv);
  s.frugal = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  s.right = (s.rank + 1) % size;
  s.left = (s.rank + size - 1) % size;
  for (int step = 0; step < 10; step++) {
    push(&s, step, size / 2);
    migrate(&s);
    if (step % 5 == 4)
      MPI_Allreduce(&s.n, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
