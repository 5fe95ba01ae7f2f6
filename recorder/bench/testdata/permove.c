/* What a recorded event of data movement costs: prints the name of each case and
 * its CPU nanoseconds. Calls come from a stack of some depth, as they do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROUNDS = 100000, DEPTH = 16 };
static char from[65536], to[65536];
static int ends[2];
static void *volatile kept;
static volatile size_t small = 64, large = 4096;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void allocate(void)
{
  kept = malloc(small);
  free(kept);
}

static void copy_small(void) { memcpy(to, from, small); }
static void copy_large(void) { memcpy(to, from, large); }

static void transfer(void)
{
  if (write(ends[0], from, small) < 0 || read(ends[1], to, small) < 0)
    abort();
}

static void message(void)
{
  MPI_Sendrecv(from, 64, MPI_CHAR, 0, 0, to, 64, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void __attribute__((noinline)) deep(int depth, void (*f)(void), int rounds)
{
  if (depth > 0)
    deep(depth - 1, f, rounds);
  else
    for (int i = 0; i < rounds; i++)
      f();
  __asm__ volatile("");
}

static void run(const char *name, void (*f)(void), int events)
{
  deep(DEPTH, f, ROUNDS / 10);
  double start = now();
  deep(DEPTH, f, ROUNDS);
  printf("%s %.2f\n", name, (now() - start) / ROUNDS / events);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
    return 1;
  run("malloc,free", allocate, 2);
  run("memcpy_64", copy_small, 1);
  run("memcpy_4096", copy_large, 1);
  run("write,read", transfer, 2);
  run("MPI_Sendrecv", message, 1);
  MPI_Finalize();
  return 0;
}
