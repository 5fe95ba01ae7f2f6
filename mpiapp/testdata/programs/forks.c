/* Starts other processes: a child that works and ends by itself, one that ends
 * with _exit, one that runs another program, and the shell. The parent goes on
 * with MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int ended(pid_t child)
{
  int status;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int child_that(int way)
{
  pid_t p = fork();
  if (p)
    return ended(p);
  if (way == 0)
    exit(5);
  if (way == 1)
    _exit(6);
  execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
  _exit(8);
}

int main(int argc, char **argv)
{
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int way = 0; way < 3; way++) {
    int status = child_that(way), all;
    MPI_Allreduce(&status, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum += all;
  }
  int shell = system("exit 9");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("sum %d, shell %d\n", sum, WEXITSTATUS(shell));
  MPI_Finalize();
  return 0;
}
