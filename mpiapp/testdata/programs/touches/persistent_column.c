/* ranks=3 about: persistent column exchange with a vector type; the matrix is updated while columns are in flight */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 700
#define COLS 40 /* 2 ghost columns: 0 and COLS-1 */

typedef struct {
  double *a;
  int rows, cols;
} matrix_t;

typedef struct {
  MPI_Datatype column;
  MPI_Request req[4];
  int nreq;
} colx_t;

#define CHECK(call)                                              \
  do {                                                           \
    int err_ = (call);                                           \
    if (err_ != MPI_SUCCESS) {                                   \
      fprintf(stderr, "%s:%d: MPI error\n", __FILE__, __LINE__); \
      MPI_Abort(MPI_COMM_WORLD, err_);                           \
    }                                                            \
  } while (0)

static inline double *at(matrix_t *m, int i, int j) { return &m->a[(size_t)i * m->cols + j]; }

static int matrix_create(matrix_t *m, int rows, int cols, int rank) {
  m->rows = rows;
  m->cols = cols;
  m->a = malloc(sizeof(double) * rows * cols);
  if (!m->a) return -1;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) *at(m, i, j) = rank + 0.01 * i + 0.1 * j;
  return 0;
}

static void colx_create(colx_t *x, matrix_t *m, MPI_Comm comm) {
  int rank, size, l, r;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  l = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  r = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  CHECK(MPI_Type_vector(m->rows, 1, m->cols, MPI_DOUBLE, &x->column));
  CHECK(MPI_Type_commit(&x->column));
  CHECK(MPI_Recv_init(at(m, 0, 0), 1, x->column, l, 1, comm, &x->req[0]));
  CHECK(MPI_Recv_init(at(m, 0, m->cols - 1), 1, x->column, r, 2, comm, &x->req[1]));
  CHECK(MPI_Send_init(at(m, 0, m->cols - 2), 1, x->column, r, 1, comm, &x->req[2]));
  CHECK(MPI_Send_init(at(m, 0, 1), 1, x->column, l, 2, comm, &x->req[3]));
  x->nreq = 4;
}

static void colx_destroy(colx_t *x) {
  for (int i = 0; i < x->nreq; i++) CHECK(MPI_Request_free(&x->req[i]));
  CHECK(MPI_Type_free(&x->column));
}

static void colx_begin(colx_t *x) { CHECK(MPI_Startall(x->nreq, x->req)); }
static void colx_end(colx_t *x) { CHECK(MPI_Waitall(x->nreq, x->req, MPI_STATUSES_IGNORE)); }

/* scale columns [2, cols-2): neither sent nor received */
static void scale_inner(matrix_t *m, double s) {
  for (int i = 0; i < m->rows; i++)
    for (int j = 2; j < m->cols - 2; j++) *at(m, i, j) *= s;
}

static void scale_edges_early(matrix_t *m, double s) {
  for (int i = 0; i < m->rows; i++) {
    *at(m, i, 1) *= s;           /* LAGGARD: race */
    *at(m, i, m->cols - 2) *= s; /* LAGGARD: race */
  }
}

static void scale_edges(matrix_t *m, double s) {
  for (int i = 0; i < m->rows; i++) {
    *at(m, i, 1) *= s;
    *at(m, i, m->cols - 2) *= s;
  }
}

/* sums the sent columns; legal while they are being sent */
static double edge_norm(matrix_t *m) {
  double s = 0;
  for (int i = 0; i < m->rows; i++) s += *at(m, i, 1) + *at(m, i, m->cols - 2);
  return s;
}

static double ghost_sum(matrix_t *m) {
  double s = 0;
  for (int i = 0; i < m->rows; i++) s += *at(m, i, 0) + *at(m, i, m->cols - 1);
  return s;
}

int main(int argc, char **argv) {
  matrix_t m;
  colx_t x;
  int rank, faulty;
  double norm = 0, total = 0;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  faulty = argc > 1 && !strcmp(argv[1], "faulty");
  if (matrix_create(&m, ROWS, COLS, rank)) MPI_Abort(MPI_COMM_WORLD, 1);
  colx_create(&x, &m, MPI_COMM_WORLD);

  for (int it = 0; it < 5; it++) {
    colx_begin(&x);
    scale_inner(&m, 0.99);
    norm += edge_norm(&m);
    if (faulty && it == 2) {
      scale_edges_early(&m, 0.99);
      colx_end(&x);
    } else {
      colx_end(&x);
      scale_edges(&m, 0.99);
    }
    norm += ghost_sum(&m);
  }
  /* requests are inactive: everything may be touched */
  *at(&m, 0, 0) = 0.0;
  *at(&m, 0, 1) = 0.0;
  MPI_Reduce(&norm, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("norm %.6f\n", total);
  colx_destroy(&x);
  free(m.a);
  MPI_Finalize();
  return 0;
}
