/* Each rank starts children and waits until it has none, which it says. */
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  int rank, n = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; i++)
    if (fork() == 0)
      _exit(0);
  while (wait(NULL) > 0)
    n++;
  if (n == 3)
    MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d children\n", n);
  MPI_Finalize();
  return 0;
}
