/* Handles that are null, freed, or none: diedhandles MODE [right]. With "right" the program is correct. Rank 2 is the one that dies. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define VICTIM 2
#define N 64

static int rank, right;
static double data[N];

/* halves makes a communicator for some ranks; the others use what they got. */
static void halves(void)
{
  MPI_Comm part;
  int in = rank != VICTIM || right;
  MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, rank, &part);
  MPI_Bcast(data, N, MPI_DOUBLE, 0, part);
  if (part != MPI_COMM_NULL)
    MPI_Comm_free(&part);
}

/* stale uses a communicator of which another copy was freed. */
static void stale(void)
{
  MPI_Comm whole, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &whole);
  copy = whole;
  if (!right)
    MPI_Comm_free(&whole);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == VICTIM)
    MPI_Send(data, N, MPI_DOUBLE, 0, 1, copy);
  if (rank == 0 && right)
    MPI_Recv(data, N, MPI_DOUBLE, VICTIM, 1, copy, MPI_STATUS_IGNORE);
  if (right)
    MPI_Comm_free(&whole);
}

/* row sends rows with a datatype that is freed before, which makes the handle null. */
static void row(void)
{
  MPI_Datatype type;
  MPI_Type_contiguous(N, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  if (!right)
    MPI_Type_free(&type);
  if (rank == VICTIM)
    MPI_Send(data, 1, type, 0, 1, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Recv(data, N, MPI_DOUBLE, VICTIM, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (right)
    MPI_Type_free(&type);
}

/* unset waits for requests of which some were never begun. */
static void unset(void)
{
  MPI_Request requests[4];
  memset(requests, right ? 0 : 0x5a, sizeof requests);
  for (int i = 0; i < 4; i++)
    if (right || rank != VICTIM)
      requests[i] = MPI_REQUEST_NULL;
  MPI_Irecv(data, N, MPI_DOUBLE, (rank + 1) % 4, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(data, N, MPI_DOUBLE, (rank + 3) % 4, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(void);
  } modes[] = {{"halves", halves}, {"stale", stale}, {"row", row}, {"unset", unset}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  right = argc > 2 && strcmp(argv[2], "right") == 0;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
      modes[i].run();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
