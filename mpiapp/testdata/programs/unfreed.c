/* A solver that makes a communicator for each level, and writes a file at the end:
 *   unfreed [leaks | finalize | file | types | once | requests | persistent]
 * It frees all; or not the communicators; or only by attributes of MPI_COMM_SELF, as libraries do; or it does not close the file; or
 * it frees not the datatypes of each exchange; or makes one for each neighbour, once; or completes not the sends; or makes persistent
 * requests for each exchange. */
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

#define CELLS 20000 /* of a column: more than an MPI library sends at once */

static double cells[2 * CELLS], halo[2 * CELLS];

static void exchange(const char *how)
{
  int rank, size;
  MPI_Datatype column;
  MPI_Request send, receive, start;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_vector(CELLS, 1, 2, MPI_DOUBLE, &column); /* LAGGARD: type */
  MPI_Type_commit(&column);
  MPI_Irecv(halo, 1, column, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &receive);
  MPI_Isend(cells, 1, column, (rank + 1) % size, 0, MPI_COMM_WORLD, &send); /* LAGGARD: sent */
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  if (strcmp(how, "requests") != 0)
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  if (strcmp(how, "types") != 0)
    MPI_Type_free(&column);
  MPI_Send_init(cells, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &start); /* LAGGARD: made */
  MPI_Start(&start);
  MPI_Recv(halo, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&start, MPI_STATUS_IGNORE);
  if (strcmp(how, "persistent") != 0)
    MPI_Request_free(&start);
}

static void plan(void)
{
  for (int k = 1; k <= 26; k++) {
    MPI_Datatype face;
    MPI_Request unused;
    MPI_Type_contiguous(k, MPI_DOUBLE, &face);
    MPI_Type_commit(&face);
    MPI_Recv_init(halo, 1, face, MPI_ANY_SOURCE, k, MPI_COMM_WORLD, &unused);
  }
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
  if (strcmp(how, "once") == 0)
    plan();
  for (int k = 0; k < 5; k++)
    exchange(how);
  close(mkstemp(name));
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &file); /* LAGGARD: opened */
  MPI_File_write(file, &x, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  if (strcmp(how, "file") != 0)
    MPI_File_close(&file);
  unlink(name);
  MPI_Finalize();
  return 0;
}
