/* A master spawns three integrators and deals out panels of an integral. When there is none left it tells those to stop from
 * which it awaits a result. With "hang" the last round has one panel less than integrators.
 *
 * Truth: integrator 2 got no panel in the last round and is not told to stop: it waits at "panel" for a message of the master,
 * which sent the others one at "stop" and is in MPI_Comm_disconnect at "leaves". */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { INTEGRATORS = 3, PANEL = 1, STOP = 2, RESULT = 3 };

static double area(int panel)
{
  double sum = 0;
  for (int k = 0; k < 100; k++)
    sum += 1.0 / (1 + panel + k * 0.01);
  return sum;
}

static void integrate(MPI_Comm master)
{
  for (;;) {
    int panel;
    double result;
    MPI_Status status;
    MPI_Recv(&panel, 1, MPI_INT, 0, MPI_ANY_TAG, master, &status); /* LAGGARD: panel */
    if (status.MPI_TAG == STOP)
      return;
    result = area(panel);
    MPI_Send(&result, 1, MPI_DOUBLE, 0, RESULT, master);
  }
}

static double deal(MPI_Comm integrators, int panels, int forgetful)
{
  double sum = 0, result;
  int next = 0, dealt = 0;
  while (next < panels) {
    for (dealt = 0; dealt < INTEGRATORS && next < panels; dealt++, next++)
      MPI_Send(&next, 1, MPI_INT, dealt, PANEL, integrators);
    for (int i = 0; i < dealt; i++) {
      MPI_Recv(&result, 1, MPI_DOUBLE, i, RESULT, integrators, MPI_STATUS_IGNORE);
      sum += result;
    }
  }
  if (!forgetful)
    dealt = INTEGRATORS;
  for (int i = 0; i < dealt; i++) /* LAGGARD: cause */
    MPI_Send(&next, 1, MPI_INT, i, STOP, integrators); /* LAGGARD: stop */
  return sum;
}

int main(int argc, char **argv)
{
  MPI_Comm parent, integrators;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    integrate(parent);
    MPI_Comm_disconnect(&parent);
  } else {
    int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, INTEGRATORS, MPI_INFO_NULL, 0, MPI_COMM_SELF, &integrators, MPI_ERRCODES_IGNORE);
    printf("sum %.6f\n", deal(integrators, 11, hang));
    MPI_Comm_disconnect(&integrators); /* LAGGARD: leaves */
  }
  MPI_Finalize();
  return 0;
}
