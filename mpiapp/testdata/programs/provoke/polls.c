/* Each rank polls for the message of the one before it, first in vain and then after the message was sent; as "window" for the
 * end of the time in which that one may change its window. As "probe", "test", "any" or "window" it gives up after twenty polls
 * that find nothing, which works while messages come at once; as "right" it goes on. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { IN_VAIN = 500, FEW = 20, MANY = 1000000, TAG = 5, NOBODYS_TAG = 6 };

static MPI_Request requests[2];
static MPI_Win win;

__attribute__((noinline)) static int poll_once(const char *how, int from)
{
  int found = 0, at;
  if (strcmp(how, "test") == 0)
    MPI_Test(&requests[0], &found, MPI_STATUS_IGNORE);
  else if (strcmp(how, "any") == 0)
    MPI_Testany(2, requests, &at, &found, MPI_STATUS_IGNORE);
  else if (strcmp(how, "window") == 0)
    MPI_Win_test(win, &found);
  else
    MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  return found;
}

static void let_messages_come(void)
{
  for (int i = 0, none; i < 1000; i++)
    MPI_Iprobe(MPI_ANY_SOURCE, NOBODYS_TAG, MPI_COMM_WORLD, &none, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  const char *how = argv[1];
  int rank, ranks, got, found = 0, most = strcmp(how, "right") == 0 ? MANY : FEW;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int from = (rank + ranks - 1) % ranks, to = (rank + 1) % ranks, window = strcmp(how, "window") == 0, mem = 0;
  int requested = strcmp(how, "test") == 0 || strcmp(how, "any") == 0;
  MPI_Group all, before, behind;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &from, &before);
  MPI_Group_incl(all, 1, &to, &behind);
  requests[0] = requests[1] = MPI_REQUEST_NULL;
  if (requested)
    MPI_Irecv(&got, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, &requests[0]);
  if (window) {
    MPI_Win_create(&mem, sizeof mem, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_post(before, 0, win);
  }
  for (int i = 0; i < IN_VAIN; i++)
    poll_once(how, from);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request send;
  MPI_Isend(&rank, 1, MPI_INT, to, TAG, MPI_COMM_WORLD, &send);
  if (window) {
    MPI_Win_start(behind, 0, win);
    MPI_Win_complete(win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  let_messages_come();
  for (int i = 0; i < most && !found; i++)
    found = poll_once(how, from);
  if (!requested)
    MPI_Recv(&got, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  if (window && !found)
    MPI_Win_wait(win);
  if (window)
    MPI_Win_free(&win);
  MPI_Group_free(&all);
  MPI_Group_free(&before);
  MPI_Group_free(&behind);
  MPI_Finalize();
  if (!found)
    fprintf(stderr, "rank %d gave up\n", rank);
  return !found;
}
