/* Children become other programs in every way there is, and a rank tries to become programs that are not there. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *words[] = {"sh", "-c", "echo from a list: $EXECS", NULL};
static char *variables[] = {"EXECS=given", NULL};

static void become(int way)
{
  switch (way) {
  case 0: execl("/bin/echo", "echo", "l", "x", NULL); break;
  case 1: execlp("echo", "echo", "lp", "x", NULL); break;
  case 2: execle("/bin/sh", "sh", "-c", "echo le $EXECS", NULL, variables); break;
  case 3: execvp("sh", words); break;
  case 4: execvpe("sh", words, variables); break;
  case 5: execv("/bin/sh", words); break;
  case 6: execve("/bin/sh", words, variables); break;
  }
  _exit(9);
}

int main(int argc, char **argv)
{
  int rank, status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  setenv("EXECS", "mine", 1);
  for (int way = 0; rank == 0 && way < 7; way++) {
    fflush(stdout);
    pid_t child = way % 2 ? fork() : vfork();
    if (child == 0)
      become(way);
    waitpid(child, &status, 0);
    if (status)
      printf("way %d: status %x\n", way, status);
  }
  int failed = execl("/no/such/program", "x", NULL) == -1 && errno == ENOENT;
  failed += execvp("no-such-program", words) == -1 && errno == ENOENT;
  MPI_Finalize();
  return failed == 2 ? 0 : 1;
}
