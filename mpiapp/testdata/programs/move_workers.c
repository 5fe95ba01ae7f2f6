/* A master hands out tasks and the others give back results: rank 0 moves other
 * data than the rest, as it should. With an argument, one worker forgets that it
 * has answered and sends each result again, which the master throws away. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { LEN = 128, TASKS = 60, TASK = 1, RESULT = 2, AGAIN = 3 };

static void master(int size, int bad)
{
  char *queue = calloc(TASKS, LEN), *task = malloc(LEN), *result = malloc(LEN), *results = malloc(TASKS * LEN);
  for (int i = 0; i < TASKS; i++)
    for (int w = 1; w < size; w++) {
      memcpy(task, queue + i * LEN, LEN);
      MPI_Send(task, LEN, MPI_CHAR, w, TASK, MPI_COMM_WORLD);
      MPI_Recv(result, LEN, MPI_CHAR, w, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      memcpy(results + i * LEN, result, LEN);
      if (bad && w == size / 2)
        for (int k = 0; k < 8; k++)
          MPI_Recv(result, LEN, MPI_CHAR, w, AGAIN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void worker(int rank, int size, int bad)
{
  char *task = malloc(LEN), *work = malloc(LEN), *result = malloc(LEN);
  for (int i = 0; i < TASKS; i++) {
    MPI_Recv(task, LEN, MPI_CHAR, 0, TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(work, task, LEN);
    for (int k = 0; k < LEN; k++)
      result[k] = work[k] + 1;
    MPI_Send(result, LEN, MPI_CHAR, 0, RESULT, MPI_COMM_WORLD);
    if (bad && rank == size / 2)
      for (int k = 0; k < 8; k++)
        MPI_Send(result, LEN, MPI_CHAR, 0, AGAIN, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv)
{
  int rank, size, bad = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    master(size, bad);
  else
    worker(rank, size, bad);
  MPI_Finalize();
  return 0;
}
