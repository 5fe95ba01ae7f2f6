/* Rank 1 starts a process that ends it by SIGTERM when it takes too long, from a shell in between. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  int rank;
  char command[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && strcmp(argv[1], "hang") == 0) {
    snprintf(command, sizeof command, "(sleep 1; kill %d; sleep 1); :", (int)getpid());
    if (fork() == 0) {
      execl("/bin/sh", "sh", "-c", command, (char *)0);
      _exit(1);
    }
    for (volatile long i = 0;; i++) /* LAGGARD: here */
      ;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
