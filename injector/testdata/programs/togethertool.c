/* A tool between a program and togethermpi.c, which asks something for itself. */
extern int PMPI_Init(int *, char ***), PMPI_Barrier(int), PMPI_Bcast(void *, int, int, int, int), PMPI_Finalize(void),
    PMPI_Abort(int, int), PMPI_Gather(const void *, int, int, void *, int, int, int, int);
extern void pmpi_bcast_(void *, int *, int *, int *, int *, int *);
volatile int seen;

int MPI_Barrier(int comm)
{
  int r = PMPI_Barrier(comm);
  seen++;
  return r;
}

int MPI_Init(int *argc, char ***argv)
{
  int r = PMPI_Init(argc, argv);
  if (seen < 0)
    MPI_Barrier(77); /* its own, if it ever were */
  return r;
}

int MPI_Bcast(void *buffer, int count, int type, int root, int comm)
{
  int r = PMPI_Bcast(buffer, count, type, root, comm);
  seen++;
  return r;
}

int MPI_Gather(const void *in, int n, int type, void *out, int m, int to, int root, int comm)
{
  int r = PMPI_Gather(in, n, type, out, m, to, root, comm);
  seen++;
  return r;
}

int MPI_Finalize(void)
{
  int r = PMPI_Finalize();
  seen++;
  return r;
}

int MPI_Abort(int comm, int code)
{
  int r = PMPI_Abort(comm, code);
  seen++;
  return r;
}

void mpi_bcast_(void *buffer, int *count, int *type, int *root, int *comm, int *code)
{
  pmpi_bcast_(buffer, count, type, root, comm, code);
  seen++;
}
