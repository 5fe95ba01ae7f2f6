/* What the modules of a program are bound to. The program loads one that is built for several versions of MPI, as Python's mpi4py is: it
 * calls MPI_Send_c where MPI has it, and MPI_Send elsewhere. Then it loads a solver that was built for one process, with functions of its
 * own that are called as those of MPI. Both are built from this source, with -DPART=1 (the module) and 2 (the solver). */
#if PART == 2

int MPI_Initialized(int *flag);
int MPI_Init(int *argc, char ***argv);
int MPI_Comm_size(long comm, int *size);
int MPI_Allreduce(const void *in, void *out, int count, int type, int op, long comm);
void mpi_comm_rank_(int *comm, int *rank, int *ierror);
int solve(int x);

static int started;

int MPI_Initialized(int *flag)
{
  *flag = started;
  return 0;
}

int MPI_Init(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  started++;
  return 0;
}

int MPI_Comm_size(long comm, int *size)
{
  *size = comm == 7 ? 1 : -1;
  return 0;
}

int MPI_Allreduce(const void *in, void *out, int count, int type, int op, long comm)
{
  (void)type, (void)op, (void)comm;
  for (int i = 0; i < count; i++)
    ((int *)out)[i] = ((const int *)in)[i];
  return 0;
}

void mpi_comm_rank_(int *comm, int *rank, int *ierror)
{
  *rank = *comm == 7 ? 0 : -1;
  *ierror = 0;
}

int solve(int x)
{
  int flag = 1, size = -1, rank = -1, ierror = -1, comm = 7, sum = -1;
  MPI_Initialized(&flag);
  if (!flag)
    MPI_Init(0, 0);
  MPI_Comm_size(comm, &size);
  mpi_comm_rank_(&comm, &rank, &ierror);
  MPI_Allreduce(&x, &sum, 1, 4, 5, comm);
  return size == 1 && rank == 0 && ierror == 0 && sum == x ? x : -1000;
}

#elif PART == 1

#include <mpi.h>

extern int MPI_Send_c(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm) __attribute__((weak));
extern int MPIX_Query_something_new(void) __attribute__((weak));
extern int MPI_Function_of_MPI_9(void) __attribute__((weak));
int exchange(int x, int *large, int *unknown);

static int send(const int *x, int to)
{
  if (MPI_Send_c)
    return MPI_Send_c(x, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  return MPI_Send(x, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
}

int exchange(int x, int *large, int *unknown)
{
  int started, rank, size, got = -1;
  MPI_Initialized(&started);
  if (!started)
    MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Request request;
  MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
  if (send(&x, (rank + 1) % size) != MPI_SUCCESS)
    return -1;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  *large = MPI_Send_c != 0;
  *unknown = MPIX_Query_something_new != 0 || MPI_Function_of_MPI_9 != 0;
  return got;
}

int leave(void);
int leave(void)
{
  return MPI_Finalize();
}

#else

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *load(const char *path, const char *name, int mode)
{
  void *library = dlopen(path, mode);
  void *f = library ? dlsym(library, name) : NULL;
  if (!f) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return f;
}

/* Arguments: in which order the two are loaded and called, and their paths. */
int main(int argc, char **argv)
{
  if (argc < 4)
    return 2;
  int large = -1, unknown = -1, got = -1, solved = -1, mode = strchr(argv[1], 'n') ? RTLD_NOW : RTLD_LAZY;
  for (const char *step = argv[1]; *step; step++) {
    if (*step == 'm') {
      int (*exchange)(int, int *, int *) = (int (*)(int, int *, int *))load(argv[2], "exchange", mode);
      for (int i = 0; i < 3; i++)
        got = exchange(i, &large, &unknown);
    } else if (*step == 's') {
      int (*solve)(int) = (int (*)(int))load(argv[3], "solve", mode);
      for (int i = 0; i < 3; i++)
        solved = solve(i);
    }
  }
  if (strchr(argv[1], 'm'))
    ((int (*)(void))load(argv[2], "leave", mode))();
  printf("got %d, large counts %d, unknown functions %d, solved %d\n", got, large, unknown, solved);
  return 0;
}

#endif
