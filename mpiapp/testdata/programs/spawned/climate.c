/* A driver spawns an ocean (one process) and an atmosphere (two) at once, with
 * MPI_Comm_spawn_multiple: they share an MPI_COMM_WORLD of three. In every step
 * the atmosphere sends its wind to the ocean, the three reduce their energy, and
 * rank 0 of them reports it to the driver. With "hang" the ocean's iteration does
 * not converge in step 2.
 *
 * Truth: rank 0 of the 3 spawned processes (the ocean) computes without end
 * between "loop begin" and "loop end"; ranks 1 and 2 wait for it in the
 * MPI_Allreduce at "energy", and the driver waits for it at "report". */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define STEPS 4

static double relax(double wind, int converges)
{
  double x = wind + 1, change = 1;
  while (change > 1e-9) {     /* LAGGARD: loop begin */
    double next = (x + wind / x) / 2;
    change = converges ? (x > next ? x - next : next - x) : 1;
    x = next + 1e-12;
  } /* LAGGARD: loop end */
  return x;
}

static double ocean_step(int step, int hang)
{
  double wind, sum = 0;
  for (int from = 1; from <= 2; from++) {
    MPI_Recv(&wind, 1, MPI_DOUBLE, from, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += wind;
  }
  return relax(sum, !(hang && step == 2)); /* LAGGARD: cause */
}

static double atmosphere_step(int step, int rank)
{
  double wind = 1.0 + step + rank;
  MPI_Send(&wind, 1, MPI_DOUBLE, 0, step, MPI_COMM_WORLD);
  return wind;
}

static void component(MPI_Comm driver, int ocean, int hang)
{
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < STEPS; step++) {
    double mine = ocean ? ocean_step(step, hang) : atmosphere_step(step, rank), energy;
    MPI_Allreduce(&mine, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* LAGGARD: energy */
    if (rank == 0)
      MPI_Send(&energy, 1, MPI_DOUBLE, 0, step, driver);
  }
}

static void drive(char *program, char *mode)
{
  char *ocean[] = {mode, "ocean", NULL}, *air[] = {mode, "air", NULL};
  char *programs[] = {program, program}, **arguments[] = {ocean, air};
  int sizes[] = {1, 2};
  MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm components;
  double energy = 0;
  MPI_Comm_spawn_multiple(2, programs, arguments, sizes, infos, 0, MPI_COMM_WORLD, &components, MPI_ERRCODES_IGNORE); /* LAGGARD: spawn */
  for (int step = 0; step < STEPS; step++)
    MPI_Recv(&energy, 1, MPI_DOUBLE, 0, step, components, MPI_STATUS_IGNORE); /* LAGGARD: report */
  printf("energy %g\n", energy);
  MPI_Comm_disconnect(&components);
}

int main(int argc, char **argv)
{
  MPI_Comm parent;
  char *mode = argc > 1 ? argv[1] : "ok";
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    drive(argv[0], mode);
  } else {
    component(parent, strcmp(argv[2], "ocean") == 0, strcmp(mode, "hang") == 0);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  return 0;
}
