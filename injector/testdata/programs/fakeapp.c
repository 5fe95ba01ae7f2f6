/* A program that goes through the phases of an MPI program. */
extern int MPI_Init(int), MPI_Comm_rank(int), MPI_Comm_dup(int), MPI_Send(int), MPI_Finalize(int);
extern void mpi_send_(int *) __attribute__((weak));
volatile int x;

__attribute__((noinline)) void step(void)
{
  x++;
}

int main(void)
{
  int one = 1;
  step();
  step();
  MPI_Init(1);
  MPI_Comm_rank(1);
  for (int i = 0; i < 5; i++) {
    step();
    MPI_Send(1);
  }
  if (mpi_send_)
    mpi_send_(&one);
  MPI_Comm_dup(1);
  MPI_Finalize(1);
  step();
  return 0;
}
