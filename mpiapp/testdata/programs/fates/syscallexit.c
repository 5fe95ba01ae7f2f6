/* Rank 1 ends as the runtime of AddressSanitizer ends a process: past exit() of the C library. */
#include <mpi.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && strcmp(argv[1], "hang") == 0) {
    usleep(300000);
    syscall(SYS_exit_group, 1); /* LAGGARD: here */
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
