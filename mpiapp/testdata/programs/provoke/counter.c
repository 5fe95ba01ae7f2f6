/* Ranks draw numbers of tasks from a counter of the first rank; each begins when the one
 * before is nearly done, and reads its input first. As "race" they get the counter and put
 * it back one higher; as "right" MPI_Fetch_and_op does both at once. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TASKS = 4, INPUT_US = 150000 };

static long next_task(MPI_Win win, int two_steps)
{
  long task, one = 1;
  MPI_Win_lock(two_steps ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
  if (two_steps) {
    MPI_Get(&task, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
    one = task + 1;
    MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
  } else {
    MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, 0, MPI_SUM, win);
  }
  MPI_Win_unlock(0, win);
  return task;
}

int main(int argc, char **argv)
{
  int rank, ranks;
  long *counter, sum = 0, all = 0;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_allocate(rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
  if (rank == 0)
    *counter = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 0)
    MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  usleep(INPUT_US);
  for (int k = 0; k < TASKS; k++) {
    if (k == TASKS - 1 && rank < ranks - 1) /* one too early */
      MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    sum += next_task(win, strcmp(argv[1], "race") == 0);
  }
  MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  long n = (long)TASKS * ranks;
  int wrong = rank == 0 && all != n * (n - 1) / 2;
  if (wrong)
    fprintf(stderr, "tasks were drawn twice: %ld for %ld\n", all, n * (n - 1) / 2);
  MPI_Win_free(&win);
  MPI_Finalize();
  return wrong;
}
