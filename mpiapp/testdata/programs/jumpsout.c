/* Rank 0 leaves a call of MPI by longjmp, out of an error handler, and calls MPI no more: it computes or sleeps, and the others wait for
 * it in a collective. */
#include <mpi.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

static jmp_buf out;
static volatile long work;

static void fails(MPI_Comm *comm, int *code, ...)
{
  (void)comm, (void)code;
  longjmp(out, 1);
}

static void computes(void)
{
  for (;;)
    work++;
}

static void rests(void)
{
  for (;;)
    pause();
}

int main(int argc, char **argv)
{
  int rank, x = 0;
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_errhandler(fails, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (rank == 0) {
    if (!setjmp(out))
      MPI_Send(&x, 1, MPI_INT, 1000000, 0, MPI_COMM_WORLD);
    if (argc > 1 && strcmp(argv[1], "computes") == 0)
      computes();
    rests();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
