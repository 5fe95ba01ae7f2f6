/* An MPI library that says on its error output which collectives it is asked for. */
#include <stdio.h>
#include <stdlib.h>

#define BOTH(name) __attribute__((weak, alias("P" #name)))

int PMPI_Init(int *argc, char ***argv)
{
  return argc != 0 && argv != 0;
}

int PMPI_Barrier(int comm)
{
  fprintf(stderr, "barrier %d\n", comm);
  return 0;
}

int PMPI_Bcast(void *buffer, int count, int type, int root, int comm)
{
  fprintf(stderr, "bcast count %d type %d root %d on %d\n", count, type, root, comm);
  return buffer == 0;
}

int PMPI_Gather(const void *in, int n, int type, void *out, int m, int to, int root, int comm)
{
  fprintf(stderr, "gather %d %d, %d %d, root %d on %d\n", n, type, m, to, root, comm);
  return in == out;
}

int PMPI_Finalize(void)
{
  fprintf(stderr, "finalize\n");
  return 0;
}

int PMPI_Abort(int comm, int code)
{
  fprintf(stderr, "abort %d\n", comm);
  exit(code + 40);
}

int MPI_Init(int *argc, char ***argv) BOTH(MPI_Init);
int MPI_Barrier(int comm) BOTH(MPI_Barrier);
int MPI_Bcast(void *buffer, int count, int type, int root, int comm) BOTH(MPI_Bcast);
int MPI_Gather(const void *in, int n, int type, void *out, int m, int to, int root, int comm) BOTH(MPI_Gather);
int MPI_Finalize(void) BOTH(MPI_Finalize);
int MPI_Abort(int comm, int code) BOTH(MPI_Abort);

void pmpi_bcast_(void *buffer, int *count, int *type, int *root, int *comm, int *code)
{
  *code = PMPI_Bcast(buffer, *count, *type, *root, *comm);
}
