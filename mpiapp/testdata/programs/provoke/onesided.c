/* A correct program that uses one-sided communication in rare ways: with nobody, of nothing, with derived types, with requests,
 * in dynamic and shared windows, and atomically. Windows are not smaller than 16 bytes, with which MPICH 4.0.2 is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 8, UNTOUCHED = 77 };

static int rank, size, right, left, wrong;

static void check(int ok, const char *what)
{
  if (!ok)
    fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
  wrong |= !ok;
}

static void fill(int *a, int n, int value)
{
  for (int i = 0; i < n; i++)
    a[i] = value;
}

static void fenced(void)
{
  int *mem, out[N], in[N], none = UNTOUCHED;
  MPI_Win win;
  MPI_Datatype every;
  MPI_Win_allocate(2 * N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
  MPI_Type_vector(N, 1, 2, MPI_INT, &every);
  MPI_Type_commit(&every);
  fill(mem, 2 * N, rank);
  fill(out, N, 100 + rank);
  fill(in, N, UNTOUCHED);
  MPI_Win_fence(0, win);
  MPI_Put(out, N, MPI_INT, right, 0, 1, every, win);
  MPI_Get(in, 1, MPI_INT, left, 2 * N - 1, 1, MPI_INT, win);
  MPI_Get(&none, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Put(out, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, win);
  MPI_Get(&none, 0, MPI_INT, left, 0, 0, MPI_INT, win);
  MPI_Type_free(&every);
  MPI_Win_fence(0, win);
  check(mem[0] == 100 + left && mem[2 * N - 2] == 100 + left && mem[2 * N - 1] == rank, "what was put into every second place");
  check(none == UNTOUCHED && in[0] == left && in[1] == UNTOUCHED, "what nobody gives");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Accumulate(out, N, MPI_INT, right, 0, N, MPI_INT, MPI_SUM, win);
  MPI_Accumulate(out, N, MPI_INT, right, N, N, MPI_INT, MPI_REPLACE, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  check(mem[0] == 200 + 2 * left && mem[1] == 100 + rank + left && mem[N] == 100 + left, "sums");
  MPI_Win_free(&win);
}

/* ordered relies on the order of accumulates of one origin at one target. */
static void ordered(void)
{
  int *mem, out[3] = {1, 2, 3}, got[2] = {UNTOUCHED, UNTOUCHED}, swapped = UNTOUCHED, expected = 3, wanted = 9;
  MPI_Win win;
  MPI_Request r;
  MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
  mem[0] = 0;
  mem[1] = 3;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  MPI_Accumulate(&out[0], 1, MPI_INT, right, 0, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Accumulate(&out[1], 1, MPI_INT, right, 0, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Get_accumulate(NULL, 0, MPI_INT, &got[0], 1, MPI_INT, right, 0, 1, MPI_INT, MPI_NO_OP, win);
  MPI_Raccumulate(&out[2], 1, MPI_INT, right, 0, 1, MPI_INT, MPI_REPLACE, win, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Fetch_and_op(NULL, &got[1], MPI_INT, right, 0, MPI_NO_OP, win);
  MPI_Win_unlock(right, win);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  MPI_Compare_and_swap(&wanted, &expected, &swapped, MPI_INT, right, 1, win);
  MPI_Win_unlock(right, win);
  check(got[0] == 2 && got[1] == 3 && swapped == 3, "the order of accumulates");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  check(mem[0] == 3 && mem[1] == 9, "what was swapped in");
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
}

/* counted takes tickets, and waits for other ranks by asking. */
static void counted(void)
{
  int *mem, one = 1, ticket = UNTOUCHED, seen = UNTOUCHED;
  MPI_Win win;
  MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
  mem[0] = mem[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  for (int i = 0; i < 3; i++) {
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    check(ticket >= i && ticket < 3 * size, "a ticket");
    do {
      MPI_Fetch_and_op(NULL, &seen, MPI_INT, 0, 1, MPI_NO_OP, win);
      MPI_Win_flush_local(0, win);
      MPI_Win_flush(0, win);
    } while (seen != ticket);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_all(win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  check(rank != 0 || (mem[0] == 3 * size && mem[1] == 3 * size), "all tickets");
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
}

static void requested(void)
{
  int *mem, out[N], in[N], sum[N];
  MPI_Request r[3];
  MPI_Win win;
  MPI_Win_allocate(2 * N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
  fill(mem, 2 * N, rank);
  fill(out, N, 50 + rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Put(out, N / 2, MPI_INT, right, 0, N / 2, MPI_INT, win);
  MPI_Rput(out, N / 2, MPI_INT, right, N / 2, N / 2, MPI_INT, win, &r[0]);
  MPI_Rget(in, N, MPI_INT, right, N, N, MPI_INT, win, &r[1]);
  MPI_Rget_accumulate(out, N, MPI_INT, sum, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, MPI_SUM, win, &r[2]);
  for (int flag = 0; !flag;)
    MPI_Testall(3, r, &flag, MPI_STATUSES_IGNORE);
  check(in[0] == right && in[N - 1] == right, "what was asked for");
  MPI_Win_flush_local_all(win);
  fill(out, N, 0);
  MPI_Win_flush(right, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  check(mem[0] == 50 + left && mem[N - 1] == 50 + left, "what was put");
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/* posted synchronises with its neighbours alone. */
static void posted(void)
{
  int mem[N], out[N], flag = 0;
  MPI_Win win;
  MPI_Group all, to, from;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &right, &to);
  MPI_Group_incl(all, 1, &left, &from);
  MPI_Win_create(mem, sizeof mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int round = 0; round < 4; round++) {
    fill(mem, N, UNTOUCHED);
    fill(out, N, 10 * round + rank);
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(out, N, MPI_INT, right, 0, N, MPI_INT, win);
    MPI_Win_complete(win);
    fill(out, N, 0);
    if (round == 0)
      MPI_Win_wait(win);
    else if (round < 3)
      for (flag = 0; !flag;)
        MPI_Win_test(win, &flag);
    else {
      MPI_Win_test(win, &flag);
      if (!flag)
        MPI_Win_wait(win);
    }
    check(mem[0] == 10 * round + left && mem[N - 1] == mem[0], "what was put into a posted window");
  }
  MPI_Group_free(&all);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&win);
}

static void attached(void)
{
  int *mem = malloc(N * sizeof *mem), in[N];
  MPI_Aint at, there;
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, mem, N * sizeof *mem);
  fill(mem, N, 30 + rank);
  MPI_Get_address(mem, &at);
  MPI_Sendrecv(&at, 1, MPI_AINT, left, 1, &there, 1, MPI_AINT, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  MPI_Get(in, N, MPI_INT, right, there, N, MPI_INT, win);
  MPI_Win_unlock(right, win);
  check(in[0] == 30 + right && in[N - 1] == 30 + right, "what was got from attached memory");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(win, mem);
  free(mem);
  MPI_Win_free(&win);
}

static void shared(void)
{
  int *mem, *other, unit;
  MPI_Aint bytes;
  MPI_Win win;
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(sizeof *mem, sizeof *mem, MPI_INFO_NULL, node, &mem, &win);
  MPI_Win_lock_all(0, win);
  *mem = 60 + rank;
  MPI_Win_sync(win);
  MPI_Barrier(node);
  MPI_Win_sync(win);
  MPI_Win_shared_query(win, right, &bytes, &unit, &other);
  check(*other == 60 + right, "shared memory");
  MPI_Barrier(node);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

int main(int argc, char **argv)
{
  static void (*const parts[])(void) = {fenced, ordered, counted, requested, posted, attached, shared};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
    parts[i]();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return wrong;
}
