/* A token goes round the ring, and each rank adds to it. With "hang" rank 4
 * computes for ever in the third round instead of handing the token on: rank 5
 * waits for 4, rank 6 for 5, and so on round the ring. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 6
#define VICTIM 4

static int hang, rank, size;

static unsigned work(unsigned token, int round)
{
  unsigned stop = hang && rank == VICTIM && round == 2 ? 2 : token % 8 | 1; /* LAGGARD: cause */
  unsigned x = token | 1;
  while (x % 8 != stop) /* LAGGARD: loop begin */
    x = x * 5 + 4;      /* LAGGARD: loop end */
  return token + (unsigned)rank + x % 8;
}

static void pass_on(unsigned *token, int round)
{
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (rank > 0)
    MPI_Recv(token, 1, MPI_UNSIGNED, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  *token = work(*token, round);
  MPI_Send(token, 1, MPI_UNSIGNED, right, round, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Recv(token, 1, MPI_UNSIGNED, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  unsigned token = 1;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < ROUNDS; round++)
    pass_on(&token, round);
  if (rank == 0)
    printf("token %u\n", token);
  MPI_Finalize();
  return 0;
}
