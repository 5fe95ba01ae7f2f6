/* A program that touches memory that MPI uses meanwhile, to be built with ThreadSanitizer. Ranks exchange columns of
 * a matrix around a ring. "read": an element of the incoming column is read too early; "write": one of the outgoing
 * column is written; "into": one of the incoming one is; "start": as "read", of a persistent receive. Their totals go
 * through windows. "put": a total is written before it is flushed; "get": one is read before the fence. Else nothing. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define ROWS 64
#define COLUMNS 8

static double field[ROWS][COLUMNS];
static double totals[2], latest[2]; /* what the others put here; what is put and got there */
static const char *mode = "ok";
static int steps;

static int is(const char *name)
{
  return steps == 3 && strcmp(mode, name) == 0;
}

static double border(void)
{
  return field[40][0]; /* LAGGARD: read */
}

static void smooth(void)
{
  field[10][COLUMNS - 2] *= 0.5; /* LAGGARD: write */
}

static void clear(void)
{
  field[50][0] = 1.5; /* LAGGARD: into */
}

static double between(void)
{
  double sum = 0;
  for (int i = 0; i < ROWS; i++)
    for (int k = 1; k < COLUMNS - 2; k++) /* what is not exchanged may be used */
      sum += field[i][k] += 1e-3;
  sum += field[3][COLUMNS - 2]; /* and what is sent may be read */
  if (is("read") || is("start"))
    sum += border();
  if (is("write"))
    smooth();
  if (is("into"))
    clear();
  return sum;
}

static double exchange(MPI_Datatype column, int left, int right)
{
  MPI_Request pending[2];
  int done = 0;
  MPI_Irecv(&field[0][0], 1, column, left, 1, MPI_COMM_WORLD, &pending[0]);
  MPI_Isend(&field[0][COLUMNS - 2], 1, column, right, 1, MPI_COMM_WORLD, &pending[1]);
  double sum = between();
  while (!done)
    MPI_Testall(2, pending, &done, MPI_STATUSES_IGNORE);
  field[20][COLUMNS - 2] += field[20][0];
  return sum;
}

static double restarted(MPI_Datatype column, int right, MPI_Request *incoming)
{
  MPI_Start(incoming);
  MPI_Send(&field[0][COLUMNS - 2], 1, column, right, 2, MPI_COMM_WORLD);
  double sum = between();
  int done = 0;
  while (!done)
    MPI_Request_get_status(*incoming, &done, MPI_STATUS_IGNORE);
  sum += field[30][0]; /* what is complete is the program's, whatever becomes of the request */
  MPI_Wait(incoming, MPI_STATUS_IGNORE);
  return sum;
}

static double published(MPI_Win win, int right, double sum)
{
  latest[0] = sum;
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  MPI_Put(&latest[0], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
  if (is("put"))
    latest[0] = 0; /* LAGGARD: put */
  MPI_Win_flush_local(right, win);
  latest[0] = 0;
  MPI_Win_unlock(right, win);
  MPI_Win_fence(0, win);
  MPI_Get(&latest[1], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
  if (is("get"))
    sum += latest[1]; /* LAGGARD: get */
  MPI_Win_fence(0, win);
  return sum + latest[1];
}

int main(int argc, char **argv)
{
  int rank, size;
  double sum = 0;
  MPI_Datatype column;
  MPI_Request incoming;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (argc > 1)
    mode = argv[1];
  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Recv_init(&field[0][0], 1, column, left, 2, MPI_COMM_WORLD, &incoming);
  MPI_Win_create(totals, sizeof totals, sizeof *totals, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (steps = 0; steps < 200; steps++) {
    sum += strcmp(mode, "start") == 0 || steps % 2 == 0 ? restarted(column, right, &incoming)
                                                        : exchange(column, left, right);
    if (steps % 10 == 3)
      sum = published(win, right, sum);
  }
  MPI_Win_free(&win);
  MPI_Request_free(&incoming);
  MPI_Type_free(&column);
  if (rank == 0)
    printf("sum %s\n", sum > 0 ? "positive" : "wrong");
  MPI_Finalize();
  return 0;
}
