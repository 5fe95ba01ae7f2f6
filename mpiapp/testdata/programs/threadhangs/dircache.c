// np: 3
// named: 1-2
// says: lock
// Each rank keeps entries of a directory, and asks the owner of one for a grant. A thread answers for the rank, and needs the lock of the
// directory for that, which the main thread still holds where it waits for a grant: ranks 1 and 2 ask each other.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { REQUEST = 1, GRANT, MEET, STEPS = 20 };

struct directory {
  pthread_mutex_t lock;
  long granted, entries[64];
};

static struct directory directory = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int rank, size, hang;

static long look_up(int entry)
{
  pthread_mutex_lock(&directory.lock); /* LAGGARD: here */
  long value = ++directory.entries[entry % 64];
  directory.granted++;
  pthread_mutex_unlock(&directory.lock);
  return value;
}

static void *answer(void *unused)
{
  MPI_Status status;
  int entry;
  for (;;) {
    MPI_Recv(&entry, 1, MPI_INT, MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &status);
    if (entry < 0)
      return unused;
    long value = look_up(entry);
    MPI_Send(&value, 1, MPI_LONG, status.MPI_SOURCE, GRANT, MPI_COMM_WORLD);
  }
}

static void meet(int other)
{
  int mine = rank, theirs;
  MPI_Sendrecv(&mine, 1, MPI_INT, other, MEET, &theirs, 1, MPI_INT, other, MEET, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static long ask(int owner, int entry)
{
  long value;
  MPI_Send(&entry, 1, MPI_INT, owner, REQUEST, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_LONG, owner, GRANT, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: holds */
  return value;
}

static void acquire(int owner, int entry, int step)
{
  pthread_mutex_lock(&directory.lock);
  if (rank > 0 && step == 9)
    meet(3 - rank);
  if (!hang)
    pthread_mutex_unlock(&directory.lock);
  long value = ask(owner, entry);
  if (!hang)
    pthread_mutex_lock(&directory.lock);
  directory.entries[entry % 64] += value;
  pthread_mutex_unlock(&directory.lock);
}

int main(int argc, char **argv)
{
  int provided, stop = -1;
  pthread_t server;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pthread_create(&server, NULL, answer, NULL);
  for (int step = 0; step < STEPS; step++) {
    if (step % size == rank || step == 9)
      acquire(rank == 0 ? 1 : 3 - rank, step, step);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Send(&stop, 1, MPI_INT, rank, REQUEST, MPI_COMM_WORLD);
  pthread_join(server, NULL);
  if (rank == 0)
    printf("%ld granted\n", directory.granted);
  pthread_mutex_destroy(&directory.lock);
  MPI_Finalize();
  return 0;
}
