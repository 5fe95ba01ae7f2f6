/* One-sided communication between some ranks: rank 0 puts into the windows of
 * ranks 1 to 3, which post them to it; the others wait in a barrier. With
 * "post" rank 2 is lost before its third post, with "complete" rank 0 before
 * its third complete; with "test" too, while the targets poll for it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define TARGETS 3
#define PAGE 4096 /* a smaller window goes wrong with MPICH 4.0.2 over UCX */

static int rank, *box;

static int weigh(int x, int left)
{
  while (left != 0) { /* LAGGARD: loop begin */
    x = (7 * x + 1) % 103;
    left -= left > 0;
  } /* LAGGARD: loop end */
  return x;
}

static void give(MPI_Win win, MPI_Group targets, int x, int lost)
{
  MPI_Win_start(targets, 0, win);
  for (int t = 1; t <= TARGETS; t++)
    MPI_Put(&x, 1, MPI_INT, t, 0, 1, MPI_INT, win);
  weigh(x, lost ? -1 : 9);
  MPI_Win_complete(win);
}

static void take(MPI_Win win, MPI_Group origin, int poll, int lost)
{
  int done = 0;
  weigh(*box, lost ? -1 : 9);
  MPI_Win_post(origin, 0, win);
  while (poll && !done)
    MPI_Win_test(win, &done);
  if (!poll)
    MPI_Win_wait(win);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  int poll = strcmp(mode, "test") == 0, post = strcmp(mode, "post") == 0, complete = poll || strcmp(mode, "complete") == 0;
  int first[1] = {0}, others[TARGETS] = {1, 2, 3}, sum = 0;
  MPI_Group world, origin, targets;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, first, &origin);
  MPI_Group_incl(world, TARGETS, others, &targets);
  MPI_Alloc_mem(PAGE, MPI_INFO_NULL, &box);
  *box = 0;
  MPI_Win_create(box, PAGE, sizeof *box, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int step = 0; step < 5; step++) {
    if (rank == 0)
      give(win, targets, step + 1, complete && step == 2);
    else if (rank <= TARGETS)
      take(win, origin, poll, post && rank == 2 && step == 2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Reduce(box, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Win_free(&win);
  MPI_Free_mem(box);
  MPI_Group_free(&world);
  MPI_Group_free(&origin);
  MPI_Group_free(&targets);
  MPI_Finalize();
  return 0;
}
