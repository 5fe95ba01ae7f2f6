/* ranks=4 about: struct-of-arrays ring halo with packed buffers, MPI_Waitsome, a late second neighbour */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NCELL 4096
#define WIDTH 48
#define NFIELD 3
#define TAG_EARLY 10
#define TAG_LATE 11
#define TAG_GO 12

struct fields {
  double *rho, *u, *p; /* each NCELL + 2*WIDTH */
};

struct halo {
  MPI_Comm comm;
  int left, right;
  double *sbuf[2], *rbuf[2];
  MPI_Request rreq[2], sreq[2];
};

static void *xmalloc(size_t n) {
  void *p = malloc(n);
  if (!p) {
    fprintf(stderr, "out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return p;
}

static double *field_at(struct fields *f, int k) {
  return k == 0 ? f->rho : k == 1 ? f->u : f->p;
}

static void fields_init(struct fields *f, int rank) {
  for (int k = 0; k < NFIELD; k++) {
    double *a = xmalloc((NCELL + 2 * WIDTH) * sizeof(double));
    for (int i = 0; i < NCELL + 2 * WIDTH; i++)
      a[i] = rank * 10.0 + k + 1e-3 * i;
    if (k == 0) f->rho = a;
    else if (k == 1) f->u = a;
    else f->p = a;
  }
}

static void fields_free(struct fields *f) {
  free(f->rho);
  free(f->u);
  free(f->p);
}

static void pack(struct fields *f, int side, double *buf) {
  int start = side == 0 ? WIDTH : NCELL;
  for (int k = 0; k < NFIELD; k++)
    memcpy(buf + k * WIDTH, field_at(f, k) + start, WIDTH * sizeof(double));
}

static void unpack(struct fields *f, int side, const double *buf) {
  int start = side == 0 ? 0 : NCELL + WIDTH;
  for (int k = 0; k < NFIELD; k++) {
    double *a = field_at(f, k);
    for (int i = 0; i < WIDTH; i++)
      a[start + i] = buf[k * WIDTH + i]; /* LAGGARD: race */
  }
}

static void halo_init(struct halo *h, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_dup(comm, &h->comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  h->left = (rank + size - 1) % size;
  h->right = (rank + 1) % size;
  for (int s = 0; s < 2; s++) {
    h->sbuf[s] = xmalloc(NFIELD * WIDTH * sizeof(double));
    h->rbuf[s] = xmalloc(NFIELD * WIDTH * sizeof(double));
    for (int i = 0; i < NFIELD * WIDTH; i++) h->rbuf[s][i] = 0.0;
  }
}

static void halo_free(struct halo *h) {
  for (int s = 0; s < 2; s++) {
    free(h->sbuf[s]);
    free(h->rbuf[s]);
  }
  MPI_Comm_free(&h->comm);
}

/* The right neighbour's data is only sent once it got a token from us; we send
   the token after the left side has been unpacked. */
static void halo_exchange(struct halo *h, struct fields *f, int faulty) {
  int done, idx[2], left = 2, go_in = 0, go_out = 1;
  MPI_Status st[2];
  MPI_Request goreq;

  MPI_Irecv(h->rbuf[0], NFIELD * WIDTH, MPI_DOUBLE, h->left, TAG_EARLY, h->comm, &h->rreq[0]);
  MPI_Irecv(h->rbuf[1], NFIELD * WIDTH, MPI_DOUBLE, h->right, TAG_LATE, h->comm, &h->rreq[1]);
  pack(f, 1, h->sbuf[1]);
  MPI_Isend(h->sbuf[1], NFIELD * WIDTH, MPI_DOUBLE, h->right, TAG_EARLY, h->comm, &h->sreq[1]);
  pack(f, 0, h->sbuf[0]);

  /* only index 0 can complete here */
  MPI_Waitsome(2, h->rreq, &done, idx, st);
  left -= done;
  for (int i = 0; i < done; i++) unpack(f, idx[i], h->rbuf[idx[i]]);
  if (faulty) /* takes it for granted that both sides are in */
    unpack(f, 1, h->rbuf[1]);

  MPI_Isend(&go_out, 1, MPI_INT, h->right, TAG_GO, h->comm, &goreq);
  MPI_Recv(&go_in, 1, MPI_INT, h->left, TAG_GO, h->comm, MPI_STATUS_IGNORE);
  MPI_Isend(h->sbuf[0], NFIELD * WIDTH, MPI_DOUBLE, h->left, TAG_LATE, h->comm, &h->sreq[0]);

  while (left > 0) {
    MPI_Waitsome(2, h->rreq, &done, idx, st);
    if (done == MPI_UNDEFINED) break;
    left -= done;
    for (int i = 0; i < done; i++) unpack(f, idx[i], h->rbuf[idx[i]]);
  }
  MPI_Wait(&goreq, MPI_STATUS_IGNORE);
  MPI_Waitall(2, h->sreq, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  struct fields f;
  struct halo h;
  int rank, faulty;
  double sum = 0.0, total;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
  fields_init(&f, rank);
  halo_init(&h, MPI_COMM_WORLD);
  for (int step = 0; step < 4; step++) {
    halo_exchange(&h, &f, faulty);
    for (int k = 0; k < NFIELD; k++) {
      double *a = field_at(&f, k);
      for (int i = WIDTH; i < NCELL + WIDTH; i++)
        a[i] = 0.5 * a[i] + 0.25 * (a[i - WIDTH] + a[i + WIDTH]);
    }
  }
  for (int i = 0; i < NCELL; i++) sum += f.rho[WIDTH + i] + f.u[WIDTH + i] + f.p[WIDTH + i];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("total %.6f\n", total);
  halo_free(&h);
  fields_free(&f);
  MPI_Finalize();
  return 0;
}
