/* What one MPI call costs, 16 frames deep: CPU nanoseconds per call of calls that
 * do next to nothing by themselves. Run with and without the recorder; the
 * difference is the recorder's (see main.go). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double cpu(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static int in, out;

static void comm_rank(void) { int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); }
static void allreduce(void) { MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF); }
static void iprobe(void) { int flag; MPI_Iprobe(0, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE); }
static void to_self(void)
{
  MPI_Request r;
  MPI_Irecv(&in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &r);
  MPI_Send(&out, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}
/* A send that does not block, of which a recorder of usage sums up 4 KB twice. */
static void begun_to_self(void)
{
  static char there[4096], here[4096];
  MPI_Request r;
  MPI_Isend(there, sizeof there, MPI_CHAR, 0, 6, MPI_COMM_SELF, &r);
  MPI_Recv(here, sizeof here, MPI_CHAR, 0, 6, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* A byte through a socket and back out: what recording below MPI adds to. */
static void socket_byte(void)
{
  static int ends[2];
  char byte = 0;
  if (!ends[0] && socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
    exit(1);
  if (send(ends[0], &byte, 1, 0) != 1 || recv(ends[1], &byte, 1, 0) != 1)
    exit(1);
}

static const struct { const char *name; void (*call)(void); int calls; long n; } cases[] = {
    {"comm_rank", comm_rank, 1, 4000000},
    {"allreduce", allreduce, 1, 2000000},
    {"iprobe", iprobe, 1, 1000000},
    {"irecv_send_wait", to_self, 3, 500000},
    {"socket_send_recv", socket_byte, 2, 500000},
    {"isend_4k_recv_wait", begun_to_self, 3, 300000},
};

/* Depth counts the frames of this program between main and the call. */
static __attribute__((noinline)) double deep(int depth, void (*call)(void), long n)
{
  if (depth > 0) {
    double t = deep(depth - 1, call, n);
    __asm__ volatile("" ::: "memory"); /* no tail call */
    return t;
  }
  for (long i = 0; i < n / 100 + 1; i++)
    call();
  double begin = cpu();
  for (long i = 0; i < n; i++)
    call();
  return cpu() - begin;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    if (argc < 2 || strcmp(argv[1], cases[i].name) == 0)
      printf("%s %.2f\n", cases[i].name, deep(11, cases[i].call, cases[i].n) / cases[i].n / cases[i].calls);
  MPI_Finalize();
  return 0;
}
