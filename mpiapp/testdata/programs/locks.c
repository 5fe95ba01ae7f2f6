/* Locks of a window at rank 0. Rank 3 has one and is lost, while rank 5 asks for
 * one: "exclusive" after "exclusive", "shared" before an exclusive one, "all"
 * for one of every rank. With "cross" rank 3 waits for a message of rank 5.
 * With "flush" and "fetch" all ranks have shared locks, rank 0 itself is lost, and
 * the others write to it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096 /* a smaller window goes wrong with MPICH 4.0.2 over UCX */

static int rank, *box;
static MPI_Win win;
static const char *mode;

static int mode_is(const char *name)
{
  return strcmp(mode, name) == 0;
}

static int brood(int x, int left)
{
  while (left != 0) { /* LAGGARD: loop begin */
    x = (3 * x + 7) % 107;
    left -= left > 0;
  } /* LAGGARD: loop end */
  return x;
}

static void holder(int lost)
{
  int word, token = 1;
  MPI_Win_lock(mode_is("shared") ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Get(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_flush(0, win);
  MPI_Send(&token, 1, MPI_INT, 5, 1, MPI_COMM_WORLD);
  if (mode_is("cross"))
    MPI_Recv(&token, 1, MPI_INT, 5, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here cross */
  brood(word, lost ? -1 : 20);
  MPI_Win_unlock(0, win);
}

static void asker(void)
{
  int token, one = 1;
  MPI_Recv(&token, 1, MPI_INT, 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (mode_is("all"))
    MPI_Win_lock_all(0, win);
  else
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); /* LAGGARD: here cross */
  MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  if (mode_is("all"))
    MPI_Win_unlock_all(win);
  else
    MPI_Win_unlock(0, win); /* LAGGARD: here cross */
}

static void writer(void)
{
  int one = 1, old;
  MPI_Request r;
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    brood(one, -1);
  if (mode_is("fetch")) {
    MPI_Rget_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  } else {
    MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
  }
  MPI_Win_unlock_all(win);
}

int main(int argc, char **argv)
{
  mode = argc > 1 ? argv[1] : "ok";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int to_target = mode_is("flush") || mode_is("fetch"), lost = !to_target && !mode_is("ok");
  MPI_Alloc_mem(PAGE, MPI_INFO_NULL, &box);
  *box = 0;
  MPI_Win_create(box, PAGE, sizeof *box, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (to_target)
    writer();
  else if (rank == 3)
    holder(lost);
  else if (rank == 5)
    asker();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("box %d\n", *box);
  MPI_Win_free(&win);
  MPI_Free_mem(box);
  MPI_Finalize();
  return 0;
}
