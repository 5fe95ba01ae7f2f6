/* Two ranks of a solver spawn two ranks of a preconditioner. Both sides agree on
 * a residual with an MPI_Allreduce over the intercommunicator in every step.
 * With "hang" the solver leaves that out in the step that it thinks is the last,
 * and waits for the correction, which the other side sends after the reduction.
 *
 * Truth: both spawned ranks wait at "reduction" for the solver to begin
 * MPI_Allreduce on the intercommunicator; both ranks of the solver wait at
 * "correction" for messages of the spawned ranks. The solver left the reduction
 * out: the sides are at different calls of one intercommunicator. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define STEPS 6

static double reduce_residual(MPI_Comm other, double mine)
{
  double theirs;
  MPI_Allreduce(&mine, &theirs, 1, MPI_DOUBLE, MPI_SUM, other); /* LAGGARD: reduction */
  return theirs;
}

static void precondition(MPI_Comm solver, int rank)
{
  for (int step = 0; step < STEPS; step++) {
    double correction = reduce_residual(solver, 1.0 / (step + 1)) / 2;
    MPI_Send(&correction, 1, MPI_DOUBLE, rank, step, solver);
  }
}

static double solve(MPI_Comm preconditioner, int rank, int hang)
{
  double x = 0, correction, residual = 1;
  for (int step = 0; step < STEPS; step++) {
    if (!(hang && step == 3)) /* LAGGARD: cause */
      residual = reduce_residual(preconditioner, residual / 2);
    MPI_Recv(&correction, 1, MPI_DOUBLE, rank, step, preconditioner, MPI_STATUS_IGNORE); /* LAGGARD: correction */
    x += correction * residual;
  }
  return x;
}

int main(int argc, char **argv)
{
  MPI_Comm parent, other;
  int rank;
  double x;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    precondition(parent, rank);
    MPI_Comm_disconnect(&parent);
  } else {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE); /* LAGGARD: spawn */
    x = solve(other, rank, argc > 1 && strcmp(argv[1], "hang") == 0);
    if (rank == 0)
      printf("x %g\n", x);
    MPI_Comm_disconnect(&other);
  }
  MPI_Finalize();
  return 0;
}
