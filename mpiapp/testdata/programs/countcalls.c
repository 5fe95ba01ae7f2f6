/* Makes many kinds of MPI calls, some of them a number of times that only the
 * run decides, and counts each as it makes it. At the end every rank writes its
 * counts to a file "counts.RANK" in the current directory. CALL(Send, (…)) is MPI_Send(…), counted. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAMES 64
#define CALL(name, args) (tally("MPI_" #name), MPI_##name args)

static struct {
  const char *name;
  int count;
} counts[MAX_NAMES];

static int rank, size;

static void tally(const char *name)
{
  int i = 0;
  while (counts[i].name && strcmp(counts[i].name, name))
    i++;
  counts[i].name = name;
  counts[i].count++;
}

static void write_counts(void)
{
  char name[32];
  snprintf(name, sizeof name, "counts.%d", rank);
  FILE *f = fopen(name, "w");
  for (int i = 0; f && i < MAX_NAMES && counts[i].name; i++)
    fprintf(f, "%s %d\n", counts[i].name, counts[i].count);
  if (f)
    fclose(f);
}

static void messages(int round)
{
  int left = (rank + size - 1) % size, right = (rank + 1) % size, a = round, b = 0, flag = 0;
  MPI_Request r[2];
  if (rank % 2 == 0) {
    CALL(Send, (&a, 1, MPI_INT, right, 1, MPI_COMM_WORLD));
    CALL(Recv, (&b, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  } else {
    CALL(Recv, (&b, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(Send, (&a, 1, MPI_INT, right, 1, MPI_COMM_WORLD));
  }
  CALL(Irecv, (&b, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &r[0]));
  CALL(Isend, (&a, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &r[1]));
  CALL(Waitall, (2, r, MPI_STATUSES_IGNORE));
  CALL(Irecv, (&b, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &r[0]));
  CALL(Isend, (&a, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &r[1]));
  while (!flag)
    CALL(Test, (&r[0], &flag, MPI_STATUS_IGNORE));
  CALL(Wait, (&r[1], MPI_STATUS_IGNORE));
  CALL(Isend, (&a, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &r[1]));
  for (flag = 0; !flag;)
    CALL(Iprobe, (left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  CALL(Recv, (&b, 1, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CALL(Wait, (&r[1], MPI_STATUS_IGNORE));
  CALL(Sendrecv, (&a, 1, MPI_INT, left, 5, &b, 1, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void persistent(void)
{
  int a = rank, b;
  MPI_Request r[2];
  CALL(Recv_init, (&b, 1, MPI_INT, (rank + size - 1) % size, 6, MPI_COMM_WORLD, &r[0]));
  CALL(Send_init, (&a, 1, MPI_INT, (rank + 1) % size, 6, MPI_COMM_WORLD, &r[1]));
  for (int i = 0; i < 5; i++) {
    CALL(Startall, (2, r));
    CALL(Waitall, (2, r, MPI_STATUSES_IGNORE));
  }
  CALL(Request_free, (&r[0]));
  CALL(Request_free, (&r[1]));
}

static void collectives(MPI_Comm comm)
{
  int a = rank, b, all[64];
  MPI_Request r;
  CALL(Barrier, (comm));
  CALL(Bcast, (&a, 1, MPI_INT, 0, comm));
  CALL(Allreduce, (&a, &b, 1, MPI_INT, MPI_SUM, comm));
  CALL(Reduce, (&a, &b, 1, MPI_INT, MPI_MAX, size - 1, comm));
  CALL(Allgather, (&a, 1, MPI_INT, all, 1, MPI_INT, comm));
  CALL(Ibarrier, (comm, &r));
  CALL(Wait, (&r, MPI_STATUS_IGNORE));
}

static void local(int n)
{
  MPI_Datatype pair;
  MPI_Aint address;
  int bytes;
  CALL(Type_contiguous, (2, MPI_INT, &pair));
  CALL(Type_commit, (&pair));
  CALL(Type_size, (pair, &bytes));
  CALL(Type_free, (&pair));
  for (int i = 0; i < n; i++)
    CALL(Wtime, ());
  CALL(Get_address, (&bytes, &address));
}

int main(int argc, char **argv)
{
  MPI_Comm comm;
  CALL(Init, (&argc, &argv));
  CALL(Comm_rank, (MPI_COMM_WORLD, &rank));
  CALL(Comm_size, (MPI_COMM_WORLD, &size));
  for (int i = 0; i < 30; i++)
    messages(i);
  for (int i = 0; i < 4; i++) {
    CALL(Comm_dup, (MPI_COMM_WORLD, &comm));
    for (int k = 0; k <= i; k++)
      collectives(comm);
    CALL(Comm_rank, (comm, &rank));
    CALL(Comm_free, (&comm));
  }
  persistent();
  local(17 + rank);
  CALL(Finalize, ());
  write_counts();
  return 0;
}
