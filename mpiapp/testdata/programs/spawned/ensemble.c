/* A driver spawns the members of an ensemble, merges with them, gathers what they
 * computed, and leaves them. With "hang" the members meet at a barrier with the
 * driver before they leave it, which the driver does not know of.
 *
 * Truth: the driver waits in MPI_Comm_disconnect at "leaves" for the members, and
 * these wait in MPI_Barrier at "meets" for the driver. Either side may be wrong:
 * that there are two members and one driver says nothing. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define MEMBERS 2
#define STEPS 4

static double relax(double state, int member)
{
  for (int i = 0; i < 1000; i++)
    state += 0.001 * (member + 1 - state);
  return state;
}

static double run_member(MPI_Comm parent, int meets)
{
  MPI_Comm all;
  int rank;
  double state = 0;
  MPI_Intercomm_merge(parent, 1, &all);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < STEPS; step++) {
    state = relax(state, rank);
    MPI_Reduce(&state, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, all);
  }
  MPI_Comm_free(&all);
  if (meets)
    MPI_Barrier(parent); /* LAGGARD: meets */
  MPI_Comm_disconnect(&parent);
  return state;
}

static double drive(const char *program, char *mode)
{
  MPI_Comm members, all;
  char *arguments[] = {mode, NULL};
  double none = 0, sum = 0;
  MPI_Comm_spawn(program, arguments, MEMBERS, MPI_INFO_NULL, 0, MPI_COMM_SELF, &members, MPI_ERRCODES_IGNORE); /* LAGGARD: spawn */
  MPI_Intercomm_merge(members, 0, &all);
  for (int step = 0; step < STEPS; step++)
    MPI_Reduce(&none, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&members); /* LAGGARD: leaves */
  return sum / MEMBERS;
}

int main(int argc, char **argv)
{
  MPI_Comm parent;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL)
    run_member(parent, strcmp(argv[1], "hang") == 0);
  else
    printf("mean %f\n", drive(argv[0], argc > 1 ? argv[1] : "ok"));
  MPI_Finalize();
  return 0;
}
