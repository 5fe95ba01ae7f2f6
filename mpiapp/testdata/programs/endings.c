/* Ways for all ranks to end, and things programs do to their descriptors.
 * "status": exit status 7 after MPI_Finalize. "abort": rank 1 calls MPI_Abort.
 * "quit": nobody calls MPI_Finalize. "stdin": rank 0 copies its input.
 * "closefds": every descriptor of a plain file is closed, whoever opened it, and
 * a file of the program's own takes a number that has become free. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank;

static void copy_input(void)
{
  char line[256];
  while (rank == 0 && fgets(line, sizeof line, stdin))
    printf("got %s", line);
}

/* A descriptor of a plain file is none of MPI's. */
static int own(int fd)
{
  struct stat st;
  return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* Many call paths, so that the recorder has to make room in its file. */
static void meet(int path, int depth)
{
  if (depth == 0)
    MPI_Barrier(MPI_COMM_WORLD);
  else if (path >> (depth - 1) & 1)
    meet(path, depth - 1);
  else
    meet(path, depth - 1);
}

static void close_files(void)
{
  char name[] = "/tmp/endings-XXXXXX", text[8] = "";
  for (int fd = 3; fd < 4096; fd++)
    if (own(fd))
      close(fd);
  int fd = mkstemp(name), high = dup2(fd, 500);
  if (high < 0 || write(high, "mine", 4) != 4)
    exit(4);
  for (int path = 0; path < 128; path++)
    meet(path, 7);
  if (pread(high, text, 7, 0) != 4 || strcmp(text, "mine"))
    exit(5);
  unlink(name);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(mode, "stdin") == 0)
    copy_input();
  if (strcmp(mode, "closefds") == 0)
    close_files();
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(mode, "abort") == 0 && rank == 1)
    MPI_Abort(MPI_COMM_WORLD, 6);
  if (strcmp(mode, "abort") == 0)
    MPI_Recv(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0)
    printf("done\n");
  if (strcmp(mode, "quit") == 0)
    return 0;
  MPI_Finalize();
  return strcmp(mode, "status") == 0 ? 7 : 0;
}
