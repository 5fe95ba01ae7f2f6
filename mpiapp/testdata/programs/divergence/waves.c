// np: 5
// odd: 4
// kind: extra
// call: MPI_Allreduce 37
// branch: 89
// why: the rank whose step breaks the CFL limit sums a report that nobody else makes, while others wait for its halo

// Shallow water on a ring of ranks with non-blocking halos and a rare report.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 30
#define STEPS 120

typedef struct {
  double h[CELLS + 2], q[CELLS + 2];
} water_t;

typedef struct {
  MPI_Comm comm;
  int rank, size, left, right;
  MPI_Request requests[8];
  int pending;
} halo_t;

typedef struct {
  double courant;
  int step;
} warning_t;

static double comm_max(MPI_Comm comm, double x)
{
  double most;
  MPI_Allreduce(&x, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
  return most;
}

static void halo_start_field(halo_t *h, double *f, int tag)
{
  MPI_Request *r = h->requests + h->pending;
  MPI_Irecv(&f[0], 1, MPI_DOUBLE, h->left, tag, h->comm, &r[0]);
  MPI_Irecv(&f[CELLS + 1], 1, MPI_DOUBLE, h->right, tag + 1, h->comm, &r[1]);
  MPI_Isend(&f[CELLS], 1, MPI_DOUBLE, h->right, tag, h->comm, &r[2]);
  MPI_Isend(&f[1], 1, MPI_DOUBLE, h->left, tag + 1, h->comm, &r[3]);
  h->pending += 4;
}

static void halo_start(halo_t *h, water_t *w)
{
  h->pending = 0;
  halo_start_field(h, w->h, 10);
  halo_start_field(h, w->q, 20);
}

static void halo_finish(halo_t *h)
{
  MPI_Waitall(h->pending, h->requests, MPI_STATUSES_IGNORE);
  h->pending = 0;
}

static void flux(water_t *w, double dt, int from, int to)
{
  for (int i = from; i <= to; i++) {
    w->h[i] -= 0.5 * dt * (w->q[i + 1] - w->q[i - 1]);
    w->q[i] -= 0.5 * dt * 9.81 * (w->h[i + 1] - w->h[i - 1]) + 0.05 * w->q[i];
  }
}

static double courant(const water_t *w, double dt)
{
  double most = 0;
  for (int i = 1; i <= CELLS; i++)
    most = fmax(most, dt * (fabs(w->q[i]) + sqrt(9.81 * fmax(w->h[i], 0))));
  return most;
}

static void report(const halo_t *h, const warning_t *warning)
{
  double worst = comm_max(h->comm, warning->courant);
  fprintf(stderr, "step %d: Courant number %g, worst %g\n", warning->step, warning->courant, worst);
}

static void watch(const halo_t *h, const water_t *w, double dt, int step)
{
  warning_t now = {.courant = courant(w, dt), .step = step};
  if (now.courant > 0.5)
    report(h, &now);
}

static void inflow(water_t *w, int step, double rate)
{
  for (int i = 10; i < 20; i++)
    w->h[i] += step > 60 ? rate : 0;
}

int main(int argc, char **argv)
{
  halo_t halo = {.comm = MPI_COMM_WORLD};
  water_t w;
  double highest = 0, rate;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(halo.comm, &halo.rank);
  MPI_Comm_size(halo.comm, &halo.size);
  halo.left = (halo.rank + halo.size - 1) % halo.size;
  halo.right = (halo.rank + 1) % halo.size;
  rate = argc > 1 && strcmp(argv[1], "hang") == 0 && halo.rank == 4 ? 1.3 : 0;
  for (int i = 0; i < CELLS + 2; i++) {
    w.h[i] = 1;
    w.q[i] = 0;
  }
  for (int step = 0; step < STEPS; step++) {
    inflow(&w, step, rate);
    watch(&halo, &w, 0.02, step);
    halo_start(&halo, &w);
    flux(&w, 0.02, 2, CELLS - 1);
    halo_finish(&halo);
    flux(&w, 0.02, 1, 1);
    flux(&w, 0.02, CELLS, CELLS);
    if (step % 2 == 1)
      highest = comm_max(halo.comm, w.h[CELLS / 2]);
  }
  if (halo.rank == 0)
    printf("highest %g\n", highest);
  MPI_Finalize();
  return 0;
}
