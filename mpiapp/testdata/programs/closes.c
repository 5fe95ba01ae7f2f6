/* Closes every descriptor that it did not open, as daemons and sandboxes do, then copies
 * memory and meets the others. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char from[5000];

static int of_the_recorder(int fd)
{
  char link[64], name[512];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, name, sizeof name - 1);
  if (n < 0)
    return 0;
  name[n] = 0;
  return strstr(name, ".lgd") != NULL;
}

int main(int argc, char **argv)
{
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int fd = 3; fd < 1024; fd++)
    if (of_the_recorder(fd)) /* the MPI library needs its own */
      close(fd);
  for (int i = 0; i < 20000; i++) {
    size_t n = 1 + (size_t)i % sizeof from;
    char *to = malloc(n);
    memcpy(to, from, n);
    sum += to[n / 2];
    free(to);
    if (i % 100 == 0)
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
