// np: 4
// odd: 3
// kind: collective_mismatch
// call: MPI_Allreduce 62
// branch: 61
// why: below a number of local rows the blocking sum is used, which does not match the MPI_Iallreduce of the others

// Pipelined conjugate gradients, whose sums overlap with the product when that pays.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITERATIONS 90
#define WORTHWHILE 16 /* rows below which overlapping does not pay */

typedef struct {
  MPI_Comm comm;
  int rank, size, rows;
  double *x, *r, *w, *p;
} krylov_t;

typedef struct {
  double in[2], out[2];
  MPI_Request request;
} sum_t;

static void krylov_make(krylov_t *k, MPI_Comm comm, int rows)
{
  MPI_Comm_dup(comm, &k->comm);
  MPI_Comm_rank(k->comm, &k->rank);
  MPI_Comm_size(k->comm, &k->size);
  k->rows = rows;
  k->x = calloc(4 * rows, sizeof *k->x);
  k->r = k->x + rows;
  k->w = k->r + rows;
  k->p = k->w + rows;
  for (int i = 0; i < rows; i++)
    k->r[i] = 1 + i % 3;
}

static void krylov_free(krylov_t *k)
{
  free(k->x);
  MPI_Comm_free(&k->comm);
}

static double dot(const double *a, const double *b, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}

static void sum_begin(krylov_t *k, sum_t *s)
{
  s->in[0] = dot(k->r, k->r, k->rows);
  s->in[1] = dot(k->w, k->r, k->rows);
  s->request = MPI_REQUEST_NULL;
  if (k->rows < WORTHWHILE)
    MPI_Allreduce(s->in, s->out, 2, MPI_DOUBLE, MPI_SUM, k->comm);
  else
    MPI_Iallreduce(s->in, s->out, 2, MPI_DOUBLE, MPI_SUM, k->comm, &s->request);
}

static void sum_end(sum_t *s, double *gamma, double *delta)
{
  MPI_Wait(&s->request, MPI_STATUS_IGNORE);
  *gamma = s->out[0];
  *delta = s->out[1];
}

static void product(const krylov_t *k, const double *in, double *out)
{
  for (int i = 0; i < k->rows; i++) {
    out[i] = 2.5 * in[i];
    if (i > 0)
      out[i] -= in[i - 1];
    if (i < k->rows - 1)
      out[i] -= in[i + 1];
  }
}

/* Rows whose residual is gone are dropped from the end of the local part. */
static void deflate(krylov_t *k, int iteration, int every)
{
  if (every > 0 && iteration % every == every - 1 && k->rows > 4)
    k->rows--;
}

static double iterate(krylov_t *k, double *old)
{
  sum_t s;
  double gamma, delta, alpha, beta;
  product(k, k->r, k->w);
  sum_begin(k, &s);
  product(k, k->r, k->p); /* overlapped */
  sum_end(&s, &gamma, &delta);
  beta = *old > 0 ? gamma / *old : 0;
  alpha = delta != 0 ? gamma / delta : 0;
  for (int i = 0; i < k->rows; i++) {
    k->x[i] += 0.1 * alpha * k->r[i];
    k->r[i] -= 0.1 * alpha * (k->w[i] - 0.01 * beta * k->r[i]);
  }
  *old = gamma;
  return gamma;
}

int main(int argc, char **argv)
{
  krylov_t k;
  double gamma = 0, old = 0;
  int rank, every;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  every = argc > 1 && strcmp(argv[1], "hang") == 0 && rank == 3 ? 4 : 40;
  krylov_make(&k, MPI_COMM_WORLD, 32);
  for (int i = 0; i < ITERATIONS; i++) {
    gamma = iterate(&k, &old);
    deflate(&k, i, every);
  }
  if (k.rank == 0)
    printf("residual %s\n", gamma < 1e3 ? "small" : "large");
  krylov_free(&k);
  MPI_Finalize();
  return 0;
}
