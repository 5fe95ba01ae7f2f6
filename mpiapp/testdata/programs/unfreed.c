/* A solver that makes a communicator for each level, and writes a file at the end:
 *   unfreed [leaks | finalize | file]
 * It frees all; or not the communicators; or only by attributes of MPI_COMM_SELF, as libraries do; or it does not close the file. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int free_kept(MPI_Comm self, int key, void *kept, void *unused)
{
  (void)self, (void)key, (void)unused;
  MPI_Comm_free(kept);
  free(kept);
  return MPI_SUCCESS;
}

static void keep(MPI_Comm level)
{
  int key;
  MPI_Comm *kept = malloc(sizeof *kept);
  *kept = level;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_kept, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, kept);
}

static double relax(int k, const char *how)
{
  MPI_Comm level;
  double x = k, sum;
  MPI_Comm_split(MPI_COMM_WORLD, k % 2, 0, &level); /* LAGGARD: created */
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, level);
  if (strcmp(how, "finalize") == 0)
    keep(level);
  else if (strcmp(how, "leaks") != 0)
    MPI_Comm_free(&level);
  return sum;
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  char name[64] = "/tmp/unfreed-XXXXXX";
  MPI_File file;
  double x = 0;
  MPI_Init(&argc, &argv);
  for (int k = 0; k < 4; k++)
    x += relax(k, how);
  close(mkstemp(name));
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &file); /* LAGGARD: opened */
  MPI_File_write(file, &x, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  if (strcmp(how, "file") != 0)
    MPI_File_close(&file);
  unlink(name);
  MPI_Finalize();
  return 0;
}
