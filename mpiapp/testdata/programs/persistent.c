/* A ring with persistent requests, started again in every step. With "hang"
 * rank 4 skips its start in step 7 and looks unsuccessfully for something. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 4

static int find(const int *table, int n, int wanted)
{
  int i = 0;
  while (table[i] != wanted) /* LAGGARD: loop begin */
    i = (i + 1) % n;         /* LAGGARD: loop end */
  return i;
}

int main(int argc, char **argv)
{
  static const int table[5] = {3, 1, 4, 1, 5};
  int rank, size, in = 0, out = 0, total = 0, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Request r[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Recv_init(&in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);
  for (int step = 0; step < 10; step++) {
    out = rank + find(table, 5, hang && rank == VICTIM && step == 7 ? 9 : 5); /* LAGGARD: cause */
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    total += in;
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  if (rank == 0)
    printf("total %d\n", total);
  MPI_Finalize();
  return 0;
}
