/* Healthy calls of MPI that last: longcalls MODE SECONDS. Rank 0 writes a slow file ("write"), has it written to a
 * slow disk ("sync"), starts a process that is slow to call MPI_Init ("spawn"), or all ranks reduce with an operation
 * that computes ("reduce") or has the kernel copy memory of a process, as libraries do ("copy"). The others wait for it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PIECE (1 << 18) /* bytes that the slow disk takes at a time, */
#define PIECES_PER_SECOND 4
#define LONG (1 << 23) /* elements of a reduction */

static int seconds;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static ssize_t slow_write(int fd, const char *data, size_t n, off_t at)
{
  size_t done = 0;
  while (done < n) {
    size_t piece = n - done < PIECE ? n - done : PIECE;
    long got = syscall(SYS_pwrite64, fd, data + done, piece, at + done);
    if (got <= 0)
      return done ? (ssize_t)done : got;
    done += got;
    if (piece == PIECE)
      usleep(1000000 / PIECES_PER_SECOND);
  }
  return done;
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at) { return slow_write(fd, data, n, at); }
ssize_t pwrite64(int fd, const void *data, size_t n, off_t at) { return slow_write(fd, data, n, at); }

int fsync(int fd)
{
  sleep(seconds);
  return syscall(SYS_fsync, fd);
}

static void use_file(const char *mode, int rank)
{
  MPI_File out;
  size_t n = (size_t)seconds * PIECES_PER_SECOND * PIECE;
  char *data = calloc(n, 1);
  MPI_File_open(MPI_COMM_SELF, rank ? "other.out" : "long.out",
                MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &out);
  if (rank == 0 && strcmp(mode, "write") == 0)
    MPI_File_write_at(out, 0, data, (int)n, MPI_BYTE, MPI_STATUS_IGNORE);
  if (rank == 0 && strcmp(mode, "sync") == 0)
    MPI_File_sync(out);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&out);
  free(data);
}

static void slow_sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  const double *a = in;
  double *b = inout;
  for (double begin = now(); now() - begin < seconds;)
    for (int i = 0; i < *n; i++)
      b[i] = 0.5 * (a[i] + b[i]);
}

static void copying_sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)n, (void)type;
  struct iovec from = {in, 4 * PIECE}, to = {inout, 4 * PIECE};
  for (double begin = now(); now() - begin < seconds;)
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != 4 * PIECE)
      MPI_Abort(MPI_COMM_WORLD, 1);
}

static void reduce(int rank, MPI_User_function *sum)
{
  MPI_Op op;
  double *a = calloc(LONG, sizeof *a), *b = calloc(LONG, sizeof *b);
  MPI_Op_create(sum, 1, &op);
  if (rank < 2) { /* one call of the operation, however many ranks there are */
    MPI_Comm pair;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &pair);
    MPI_Reduce(a, b, LONG, MPI_DOUBLE, op, 0, pair);
    MPI_Comm_free(&pair);
  } else {
    MPI_Comm rest;
    MPI_Comm_split(MPI_COMM_WORLD, 1, rank, &rest);
    MPI_Comm_free(&rest);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Op_free(&op);
  free(a);
  free(b);
}

static void spawn(char *self)
{
  MPI_Comm child;
  char text[16];
  snprintf(text, sizeof text, "%d", seconds);
  char *args[] = {"child", text, NULL};
  MPI_Comm_spawn(self, args, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
  MPI_Barrier(child);
  MPI_Comm_disconnect(&child);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "write";
  int rank;
  MPI_Comm parent;
  seconds = argc > 2 ? atoi(argv[2]) : 1;
  if (strcmp(mode, "child") == 0)
    sleep(seconds);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Barrier(parent);
    MPI_Comm_disconnect(&parent);
  } else if (strcmp(mode, "reduce") == 0) {
    reduce(rank, slow_sum);
  } else if (strcmp(mode, "copy") == 0) {
    reduce(rank, copying_sum);
  } else if (strcmp(mode, "spawn") == 0) {
    spawn(argv[0]);
  } else {
    use_file(mode, rank);
  }
  if (rank == 0 && strcmp(mode, "child") != 0)
    puts("done");
  MPI_Finalize();
  return 0;
}
