/* Workers compute for different times, and send a header and then the results it announces;
 * the first rank collects them. As "race" it takes header and results of any sender, which
 * works while workers are done one by one; as "right" the results are those of the header's
 * sender. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 1, RESULTS = 2, ROUNDS = 2, MOST = 64, WORK_US = 150000 };

static void work(int rank)
{
  double results[MOST];
  for (int round = 0; round < ROUNDS; round++) {
    int n = 4 * rank + round;
    usleep((unsigned)rank * WORK_US);
    for (int i = 0; i < n; i++)
      results[i] = rank;
    MPI_Send(&n, 1, MPI_INT, 0, HEADER, MPI_COMM_WORLD);
    MPI_Send(results, n, MPI_DOUBLE, 0, RESULTS, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static int collect(int ranks, int any)
{
  int wrong = 0;
  for (int k = 1; k <= ROUNDS * (ranks - 1); k++) {
    double results[MOST];
    int n, got;
    MPI_Status header, body;
    MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, HEADER, MPI_COMM_WORLD, &header);
    MPI_Recv(results, MOST, MPI_DOUBLE, any ? MPI_ANY_SOURCE : header.MPI_SOURCE, RESULTS, MPI_COMM_WORLD, &body);
    MPI_Get_count(&body, MPI_DOUBLE, &got);
    wrong += got != n;
    if (k % (ranks - 1) == 0)
      MPI_Barrier(MPI_COMM_WORLD);
  }
  return wrong;
}

int main(int argc, char **argv)
{
  int rank, ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank > 0)
    work(rank);
  else
    wrong = collect(ranks, strcmp(argv[1], "race") == 0);
  MPI_Finalize();
  if (wrong)
    fprintf(stderr, "%d blocks of results do not fit their headers\n", wrong);
  return wrong > 0;
}
