/* The first rank has a table of squares; each rank puts one there and gets that of its neighbour. As "race" it uses what it
 * gets, and reuses what it puts, before the epoch ends; as "put" it only reuses, as "local" it takes what was put for complete once
 * the origin may reuse its buffer, as "right" it does none of these. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static long square_of_neighbour(MPI_Win win, int rank, int ranks, int reads, int writes)
{
  long square = (long)rank * rank, got = 0, used;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Put(&square, 1, MPI_LONG, 0, rank, 1, MPI_LONG, win);
  if (writes)
    square = -1;
  MPI_Win_unlock(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Get(&got, 1, MPI_LONG, 0, (rank + 1) % ranks, 1, MPI_LONG, win);
  used = got;
  MPI_Win_unlock(0, win);
  return reads ? used : got;
}

/* square_after_local_flush has the even ranks look before the odd ones have completed what they put. */
static long square_after_local_flush(MPI_Win win, int rank, int ranks)
{
  long square = (long)rank * rank, got = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Put(&square, 1, MPI_LONG, 0, rank, 1, MPI_LONG, win);
  MPI_Win_flush_local(0, win);
  square = -1;
  for (int turn = 0; turn < 2; turn++) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank % 2 != turn)
      continue;
    MPI_Get(&got, 1, MPI_LONG, 0, (rank + 1) % ranks, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
  }
  MPI_Win_unlock(0, win);
  return got;
}

/* all_drawn: numbers that are drawn from a counter and accumulated in order come out right. */
static int all_drawn(MPI_Win win, int rank, int ranks)
{
  long one = 1, two = 2, drawn = -1, sum = 0, seen[2] = {0};
  MPI_Win_fence(0, win);
  MPI_Fetch_and_op(&one, &drawn, MPI_LONG, 0, ranks, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Allreduce(&drawn, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Accumulate(&one, 1, MPI_LONG, rank, ranks + 1, 1, MPI_LONG, MPI_REPLACE, win);
  MPI_Accumulate(&two, 1, MPI_LONG, rank, ranks + 1, 1, MPI_LONG, MPI_REPLACE, win);
  MPI_Get_accumulate(NULL, 0, MPI_LONG, seen, 1, MPI_LONG, rank, ranks + 1, 1, MPI_LONG, MPI_NO_OP, win);
  MPI_Win_fence(0, win);
  return sum == (long)ranks * (ranks - 1) / 2 && seen[0] == 2;
}

int main(int argc, char **argv)
{
  int rank, ranks, wrong;
  long *table;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_allocate((ranks + 2) * (MPI_Aint)sizeof *table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &table, &win);
  memset(table, 0, (size_t)(ranks + 2) * sizeof *table);
  MPI_Barrier(MPI_COMM_WORLD);
  int reads = strcmp(argv[1], "race") == 0, next = (rank + 1) % ranks;
  long square = strcmp(argv[1], "local") == 0 ? square_after_local_flush(win, rank, ranks)
                                              : square_of_neighbour(win, rank, ranks, reads, reads || strcmp(argv[1], "put") == 0);
  wrong = square != (long)next * next;
  wrong |= !all_drawn(win, rank, ranks);
  if (wrong)
    fprintf(stderr, "a number was wrong\n");
  MPI_Win_free(&win);
  MPI_Finalize();
  return wrong;
}
