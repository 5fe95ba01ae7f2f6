/* Receives with a wildcard that end in all ways, and some that do not. Then it ends without MPI_Finalize. With the argument "many" rank 0
 * begins those of 65 tags. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm private;

static void some_of_several(void)
{
  int in[4], n, at[4], left = 4;
  MPI_Request r[4];
  for (int i = 0; i < 4; i++)
    MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r[i]); /* two of them stay */
  while (left > 2) {
    MPI_Testsome(4, r, &n, at, MPI_STATUSES_IGNORE);
    left -= n > 0 ? n : 0;
  }
}

static void withdrawn(void)
{
  static int in;
  MPI_Request r;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &r);
  MPI_Cancel(&r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &r);
  MPI_Cancel(&r);
  MPI_Request_free(&r);
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &r);
  MPI_Request_free(&r); /* it stays: nobody will know what it takes */
}

static void persistent(void)
{
  static int in[2];
  MPI_Request r[2];
  for (int i = 0; i < 2; i++)
    MPI_Recv_init(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 5 + i, MPI_COMM_WORLD, &r[i]);
  for (int step = 0; step < 3; step++) {
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  MPI_Start(&r[1]); /* stays */
}

static void of_any_tag(void)
{
  static int in[2];
  MPI_Request r;
  MPI_Irecv(&in[0], 1, MPI_INT, 1, MPI_ANY_TAG, private, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Irecv(&in[1], 1, MPI_INT, 1, MPI_ANY_TAG, private, &r); /* stays */
#if MPI_VERSION >= 4
  static int both[4];
  for (int i = 0; i < 2; i++) {
    MPI_Isendrecv(&both[i], 1, MPI_INT, 0, 8, &both[2 + i], 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
#endif
}

int main(int argc, char **argv)
{
  int rank, x = 0, many = argc > 1 && strcmp(argv[1], "many") == 0;
  static int in[65];
  MPI_Request r;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &private);
  for (int i = 0; many && rank == 0 && i < 65; i++)
    MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &r);
  if (!many && rank == 0) {
    some_of_several();
    withdrawn();
    persistent();
    of_any_tag();
  } else if (!many) {
    static const int tags[] = {1, 1, 5, 6, 5, 6, 5, 6};
    for (int i = 0; i < 8; i++)
      MPI_Send(&x, 1, MPI_INT, 0, tags[i], MPI_COMM_WORLD);
    MPI_Send(&x, 1, MPI_INT, 0, 7, private);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  _exit(0);
}
