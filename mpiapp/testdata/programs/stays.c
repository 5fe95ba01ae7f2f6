/* Rank 1 does not come to the barrier. "stay": it sleeps; "ignore": it ignores SIGTERM as well; "ok": it comes;
 * "sleep": none comes, all sleep.
 * What follows is a command that rank 0 runs meanwhile, such as one that starts another job. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank;
  if (argc > 1 && !strcmp(argv[1], "ignore")) signal(SIGTERM, SIG_IGN);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && argc > 2 && system(argv[2])) return 1;
  while (argc > 1 && strcmp(argv[1], "ok") && (rank == 1 || !strcmp(argv[1], "sleep"))) sleep(1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
