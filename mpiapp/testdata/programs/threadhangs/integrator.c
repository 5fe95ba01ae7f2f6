// np: 3
// named: 1
// says: joins
// Main of rank 1 joins an integrator thread (LAGGARD: here) whose step becomes so small that it
// never arrives; the others wait in MPI_Allreduce.
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct orbit {
  double t, end, x, step;
};

static int rank, hang;

static void *integrate(void *arg)
{
  struct orbit *o = arg;
  while (o->t < o->end) { /* LAGGARD: loop begin */
    o->x -= o->step * sin(o->x);
    o->t += o->step;
  } /* LAGGARD: loop end */
  return NULL;
}

static double advance(int number)
{
  pthread_t threads[2];
  struct orbit orbits[2];
  for (int i = 0; i < 2; i++) {
    orbits[i] = (struct orbit){.t = number, .end = number + 1, .x = rank + i, .step = 1e-3};
    if (hang && rank == 1 && i == 1 && number == 6)
      orbits[i].step = 1e-18;
    pthread_create(&threads[i], NULL, integrate, &orbits[i]);
  }
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL); /* LAGGARD: here */
  return orbits[0].x + orbits[1].x;
}

int main(int argc, char **argv)
{
  int provided;
  double all = 0;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int number = 0; number < 10; number++) {
    double mine = advance(number);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("sum %g\n", all);
  MPI_Finalize();
  return 0;
}
