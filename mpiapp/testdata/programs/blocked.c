/* A rank that waits for something outside MPI. "read": rank 1 reads from a
 * pipe that nobody writes to; "sleep": it sleeps very long; "lock": it waits
 * for a mutex that its own thread holds. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VICTIM 1

static int ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static char ask_helper(int answered)
{
  char c = 'x';
  if (answered && write(ends[1], &c, 1) != 1)
    return 0;
  if (read(ends[0], &c, 1) != 1) /* LAGGARD: here read */
    return 0;
  return c;
}

static void pause_a_little(unsigned seconds)
{
  usleep(1000);
  if (seconds)
    sleep(seconds); /* LAGGARD: here sleep */
}

static void guarded(int twice)
{
  pthread_mutex_lock(&mutex);
  if (twice)
    pthread_mutex_lock(&mutex); /* LAGGARD: here lock */
  pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  int rank, sum = 0;
  if (pipe(ends))
    return 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 4; i++) {
    int faulty = rank == VICTIM && i == 2;
    int mine = ask_helper(!(faulty && strcmp(mode, "read") == 0));
    pause_a_little(faulty && strcmp(mode, "sleep") == 0 ? 100000 : 0);
    guarded(faulty && strcmp(mode, "lock") == 0);
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum += mine;
  }
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
