// np: 2
// named: 0,1
// says: MPI_COMM_WORLD
// says: MPI_THREAD_MULTIPLE
// A second thread sums statistics in MPI_Allreduce on MPI_COMM_WORLD, on which main synchronises in
// MPI_Barrier. At rank 0 the statistics come first, at rank 1 the barrier: two threads make
// collectives on one communicator in no common order.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int rank, hang;
static MPI_Comm steps_comm, statistics_comm;
static pthread_barrier_t both;
static long counts[40000], sums[40000];

static void summarise(void)
{
  MPI_Allreduce(counts, sums, 40000, MPI_LONG, MPI_SUM, statistics_comm); /* LAGGARD: here */
}

static void synchronise(void)
{
  MPI_Barrier(steps_comm); /* LAGGARD: here */
}

// The ranks disagree about who goes first.
static void *statistics(void *unused)
{
  if (rank == 1 && hang)
    pthread_barrier_wait(&both);
  summarise();
  if (rank == 0 && hang)
    pthread_barrier_wait(&both);
  return unused;
}

static void step(void)
{
  if (rank == 0 && hang)
    pthread_barrier_wait(&both);
  synchronise();
  if (rank == 1 && hang)
    pthread_barrier_wait(&both);
}

int main(int argc, char **argv)
{
  int provided;
  pthread_t helper;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  steps_comm = statistics_comm = MPI_COMM_WORLD;
  pthread_barrier_init(&both, NULL, 2);
  for (int i = 0; i < 5; i++)
    MPI_Allreduce(counts, sums, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (!hang) {
    MPI_Comm_dup(MPI_COMM_WORLD, &statistics_comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &steps_comm);
  }
  pthread_create(&helper, NULL, statistics, NULL);
  step();
  pthread_join(helper, NULL);
  if (!hang) {
    MPI_Comm_free(&statistics_comm);
    MPI_Comm_free(&steps_comm);
  }
  if (rank == 0)
    printf("sum %ld\n", sums[0]);
  MPI_Finalize();
  return 0;
}
