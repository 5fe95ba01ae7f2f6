// np: 3
// named: 2
// says: lock
// Two OpenMP threads move particles between two cells of rank 2, and each takes the lock of the cell it
// comes from first: each holds the lock that the other waits for (LAGGARD: here). The others
// wait in MPI_Allreduce.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 4, ROUNDS = 50 };

struct cell {
  omp_lock_t lock;
  long particles;
};

static struct cell cells[CELLS];
static int rank, hang;

static void move(struct cell *from, struct cell *to, int meet)
{
  struct cell *first = from, *second = to;
  if (!hang && to < from) {
    first = to;
    second = from;
  }
  omp_set_lock(&first->lock);
  if (meet) {
#pragma omp barrier
  }
  omp_set_lock(&second->lock); /* LAGGARD: here */
  from->particles--;
  to->particles++;
  omp_unset_lock(&second->lock);
  omp_unset_lock(&first->lock);
}

static void round_of_moves(int round)
{
  int me = omp_get_thread_num(), lost = hang && rank == 2 && round == 20;
  if (me == 0)
    move(&cells[0], &cells[1], lost);
  else if (lost)
    move(&cells[1], &cells[0], lost);
  else
    move(&cells[3], &cells[2], 0);
}

int main(int argc, char **argv)
{
  int provided;
  long all = 0;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < CELLS; i++) {
    omp_init_lock(&cells[i].lock);
    cells[i].particles = 1000;
  }
  for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2)
    round_of_moves(round);
    MPI_Allreduce(&cells[0].particles, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("%ld particles\n", all);
  MPI_Finalize();
  return 0;
}
