/* ranks=4 about: pipelined CG-like solver whose dot products travel in an MPI_Iallreduce behind the matrix product */
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 20000

typedef struct {
  double *x, *r, *w, *z, *p;
  int n;
} vecs_t;

/* a tiny "reduction service": up to four partial sums in one reduction */
typedef struct {
  double part[4];
  double full[4];
  int used;
  MPI_Request req;
  MPI_Comm comm;
} redux_t;

static double *vec_new(int n) {
  double *v = calloc(n, sizeof *v);
  if (!v) MPI_Abort(MPI_COMM_WORLD, 2);
  return v;
}

static void redux_reset(redux_t *q) { q->used = 0; }

static int redux_dot(redux_t *q, const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  q->part[q->used] = s;
  return q->used++;
}

static void redux_post(redux_t *q) {
  MPI_Iallreduce(q->part, q->full, q->used, MPI_DOUBLE, MPI_SUM, q->comm, &q->req);
}

static double redux_get(const redux_t *q, int k) { return q->full[k]; }

static void redux_finish(redux_t *q) { MPI_Wait(&q->req, MPI_STATUS_IGNORE); }

/* tridiagonal product, block Jacobi style (no halo) */
static void spmv(const double *in, double *out, int n) {
  for (int i = 0; i < n; i++) {
    double v = 4.0 * in[i];
    if (i > 0) v -= in[i - 1];
    if (i < n - 1) v -= in[i + 1];
    out[i] = v;
  }
}

static void axpy(double a, const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}

static int solve(vecs_t *v, redux_t *q, int iters, int faulty, double *resid) {
  double rr = 0, rw = 0;
  int it;
  for (it = 0; it < iters; it++) {
    int krr, krw;
    double alpha, guess = 0;
    redux_reset(q);
    krr = redux_dot(q, v->r, v->r, v->n);
    krw = redux_dot(q, v->r, v->w, v->n);
    redux_post(q);

    spmv(v->w, v->z, v->n); /* overlapped work */
    guess += q->part[krr];  /* own partial sum: reading the send buffer */
    q->part[2] = guess;     /* slots 2 and 3 are not part of this reduction */
    q->full[3] = 0.0;

    if (faulty && it == 3)
      guess += fabs(q->full[krw]); /* LAGGARD: race */

    redux_finish(q);
    rr = redux_get(q, krr);
    rw = redux_get(q, krw);
    q->part[krr] = 0.0; /* complete, may be overwritten */
    if (!(fabs(rw) > 1e-300)) break;
    alpha = rr / rw;
    axpy(alpha, v->r, v->x, v->n);
    axpy(-alpha, v->w, v->r, v->n);
    axpy(-alpha, v->z, v->w, v->n);
    if (guess < 0) it = iters; /* never: a sum of squares and a modulus */
  }
  *resid = sqrt(fabs(rr));
  return it;
}

int main(int argc, char **argv) {
  vecs_t v;
  redux_t *q;
  int rank, faulty, its, root_flag = 0;
  double resid;
  MPI_Request bar;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;

  v.n = N;
  v.x = vec_new(N);
  v.r = vec_new(N);
  v.w = vec_new(N);
  v.z = vec_new(N);
  v.p = vec_new(N);
  for (int i = 0; i < N; i++) v.r[i] = 1.0 + 0.001 * ((i * 7 + rank) % 13);
  spmv(v.r, v.w, N);

  q = calloc(1, sizeof *q);
  if (!q) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_dup(MPI_COMM_WORLD, &q->comm);
  q->req = MPI_REQUEST_NULL;

  its = solve(&v, q, 12, faulty, &resid);

  /* unrelated large nonblocking reduction of the solution, polled */
  MPI_Iallreduce(v.x, v.p, N, MPI_DOUBLE, MPI_MAX, q->comm, &q->req);
  while (!root_flag) MPI_Test(&q->req, &root_flag, MPI_STATUS_IGNORE);
  v.x[0] = v.p[0];
  MPI_Ibarrier(q->comm, &bar);
  v.x[1] = v.p[1];
  MPI_Wait(&bar, MPI_STATUS_IGNORE);

  if (rank == 0) printf("iters %d resid %.3e max0 %.6f\n", its, resid, v.x[0]);
  MPI_Comm_free(&q->comm);
  free(q);
  free(v.x);
  free(v.r);
  free(v.w);
  free(v.z);
  free(v.p);
  MPI_Finalize();
  return 0;
}
