/* A small mesh application: heat that flows and is carried along on a periodic
 * 2-D mesh, a tile of it on each rank. A time step is some sub-steps (explicit
 * transport, then implicit diffusion by Jacobi iterations until all agree), a
 * smoothing sweep along whole rows, for which tiles are transposed within a row of
 * ranks, and every so often a master that hands out work, a diagnosis, and a
 * checkpoint. Heat is conserved: the end checks that, and reads the last
 * checkpoint back.
 *
 *   minimesh [-n POINTS] [-s STEPS] [-d EVERY] [-c EVERY] [-w EVERY] [-o FILE]
 *
 * For any number of ranks from 2: mpicc -O1 -g minimesh.c -o minimesh -lm */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every function is to be found on the stack. */
#define KEPT __attribute__((noinline))

enum { SUBSTEPS = 3, MAX_ITERATIONS = 200, TASKS = 24 };
enum { TAG_NORTH = 1, TAG_SOUTH, TAG_EAST, TAG_WEST, TAG_ASK, TAG_TASK, TAG_RESULT, TAG_STOP };

struct options {
  int n, steps;
  int diagnose, checkpoint, work; /* every so many steps */
  char file[4096];
};

/* The ranks: a grid of rows x columns, and this rank's place and neighbours. */
struct ranks {
  int rank, size, dims[2], at[2];
  int north, south, west, east;
  MPI_Comm grid, row, column; /* row: the ranks beside this one */
};

/* A tile of ny x nx points with a frame of one. */
struct tile {
  int ny, nx, low_y, low_x;
  double *now, *next, *old;
};

/* Whole rows of the mesh, for the sweep: lines of them, n points each. */
struct lines {
  int count, *rows_of, *columns_of; /* of each rank of the row communicator */
  int *send_count, *send_at, *recv_count, *recv_at;
  double *buffer, *whole, *line;
};

struct mesh {
  struct options o;
  struct ranks r;
  struct tile t;
  struct lines l;
  double rates[TASKS]; /* what the master's work comes to */
  double heat;         /* all there is, once it is summed up */
  MPI_Request heat_request;
  double heat_here;
  long iterations;
};

static KEPT void fail(const char *what)
{
  fprintf(stderr, "minimesh: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static KEPT void *allocate(size_t count, size_t size)
{
  void *p = calloc(count ? count : 1, size);
  if (!p)
    fail("out of memory");
  return p;
}

/* ---- options and decomposition ---- */

static KEPT void parse(int argc, char **argv, struct options *o)
{
  const char *place = getenv("TMPDIR");
  int c, *number[256] = {['n'] = &o->n, ['s'] = &o->steps, ['d'] = &o->diagnose, ['c'] = &o->checkpoint, ['w'] = &o->work};
  o->n = 256, o->steps = 250, o->diagnose = 5, o->checkpoint = 10, o->work = 8;
  snprintf(o->file, sizeof o->file, "%s/minimesh.state", place ? place : ".");
  while ((c = getopt(argc, argv, "n:s:d:c:w:o:")) != -1) {
    if (c == 'o')
      snprintf(o->file, sizeof o->file, "%s", optarg);
    else if (c == '?' || (*number[c] = atoi(optarg)) < 1)
      fail("options are -n -s -d -c -w with a positive number, and -o FILE");
  }
}

static int start_of(int n, int parts, int part) { return (int)((long)n * part / parts); }

static KEPT void make_ranks(struct ranks *r)
{
  int periodic[2] = {1, 1}, keep_row[2] = {0, 1}, keep_column[2] = {1, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &r->size);
  if (r->size < 2)
    fail("it takes two ranks or more");
  r->dims[0] = r->dims[1] = 0;
  MPI_Dims_create(r->size, 2, r->dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, r->dims, periodic, 0, &r->grid);
  MPI_Comm_rank(r->grid, &r->rank);
  MPI_Cart_coords(r->grid, r->rank, 2, r->at);
  MPI_Cart_shift(r->grid, 0, 1, &r->north, &r->south);
  MPI_Cart_shift(r->grid, 1, 1, &r->west, &r->east);
  MPI_Cart_sub(r->grid, keep_row, &r->row);
  MPI_Cart_sub(r->grid, keep_column, &r->column);
}

static KEPT void make_tile(struct tile *t, const struct ranks *r, int n)
{
  t->low_y = start_of(n, r->dims[0], r->at[0]);
  t->low_x = start_of(n, r->dims[1], r->at[1]);
  t->ny = start_of(n, r->dims[0], r->at[0] + 1) - t->low_y;
  t->nx = start_of(n, r->dims[1], r->at[1] + 1) - t->low_x;
  if (n < r->dims[0] || n < r->dims[1])
    fail("more ranks than points");
  size_t points = (size_t)(t->ny + 2) * (t->nx + 2);
  t->now = allocate(points, sizeof(double));
  t->next = allocate(points, sizeof(double));
  t->old = allocate(points, sizeof(double));
}

static size_t at(const struct tile *t, int y, int x) { return (size_t)y * (t->nx + 2) + x; }

static KEPT void make_lines(struct lines *l, const struct tile *t, const struct ranks *r, int n)
{
  int parts = r->dims[1], sent = 0, received = 0;
  int *all = allocate(6 * parts, sizeof *all);
  l->rows_of = all, l->columns_of = all + parts;
  l->send_count = all + 2 * parts, l->send_at = all + 3 * parts;
  l->recv_count = all + 4 * parts, l->recv_at = all + 5 * parts;
  l->count = start_of(t->ny, parts, r->at[1] + 1) - start_of(t->ny, parts, r->at[1]);
  for (int i = 0; i < parts; i++) {
    l->rows_of[i] = start_of(t->ny, parts, i + 1) - start_of(t->ny, parts, i);
    l->columns_of[i] = start_of(n, parts, i + 1) - start_of(n, parts, i);
    l->send_at[i] = sent, l->recv_at[i] = received;
    sent += l->send_count[i] = l->rows_of[i] * t->nx;
    received += l->recv_count[i] = l->count * l->columns_of[i];
  }
  l->buffer = allocate(received > sent ? received : sent, sizeof(double));
  l->whole = allocate(received, sizeof(double));
  l->line = allocate(n, sizeof(double));
}

static KEPT void start_field(struct mesh *m)
{
  struct tile *t = &m->t;
  for (int y = 1; y <= t->ny; y++)
    for (int x = 1; x <= t->nx; x++) {
      double u = (double)(t->low_y + y - 1) / m->o.n - 0.3, v = (double)(t->low_x + x - 1) / m->o.n - 0.6;
      t->now[at(t, y, x)] = 1 + 9 * exp(-60 * (u * u + v * v));
    }
}

/* ---- halos ---- */

static KEPT void pack_column(const struct tile *t, const double *f, int x, double *into)
{
  for (int y = 1; y <= t->ny; y++)
    into[y - 1] = f[at(t, y, x)];
}

static KEPT void unpack_column(const struct tile *t, double *f, int x, const double *from)
{
  for (int y = 1; y <= t->ny; y++)
    f[at(t, y, x)] = from[y - 1];
}

/* exchange_all fills the frame from all neighbours at once. */
static KEPT void exchange_all(struct mesh *m, double *f)
{
  struct tile *t = &m->t;
  struct ranks *r = &m->r;
  double side[4][t->ny];
  MPI_Request q[8];
  MPI_Status done[8];
  pack_column(t, f, 1, side[0]);
  pack_column(t, f, t->nx, side[1]);
  MPI_Irecv(&f[at(t, 0, 1)], t->nx, MPI_DOUBLE, r->north, TAG_SOUTH, r->grid, &q[0]);
  MPI_Irecv(&f[at(t, t->ny + 1, 1)], t->nx, MPI_DOUBLE, r->south, TAG_NORTH, r->grid, &q[1]);
  MPI_Irecv(side[2], t->ny, MPI_DOUBLE, r->west, TAG_EAST, r->grid, &q[2]);
  MPI_Irecv(side[3], t->ny, MPI_DOUBLE, r->east, TAG_WEST, r->grid, &q[3]);
  MPI_Isend(&f[at(t, 1, 1)], t->nx, MPI_DOUBLE, r->north, TAG_NORTH, r->grid, &q[4]);
  MPI_Isend(&f[at(t, t->ny, 1)], t->nx, MPI_DOUBLE, r->south, TAG_SOUTH, r->grid, &q[5]);
  MPI_Isend(side[0], t->ny, MPI_DOUBLE, r->west, TAG_WEST, r->grid, &q[6]);
  MPI_Isend(side[1], t->ny, MPI_DOUBLE, r->east, TAG_EAST, r->grid, &q[7]);
  MPI_Waitall(8, q, done);
  unpack_column(t, f, 0, side[2]);
  unpack_column(t, f, t->nx + 1, side[3]);
}

/* exchange_upwind fills the two sides that the wind comes from. */
static KEPT void exchange_upwind(struct mesh *m, double *f)
{
  struct tile *t = &m->t;
  struct ranks *r = &m->r;
  double out[t->ny], in[t->ny];
  MPI_Sendrecv(&f[at(t, t->ny, 1)], t->nx, MPI_DOUBLE, r->south, TAG_SOUTH, &f[at(t, 0, 1)], t->nx, MPI_DOUBLE, r->north,
               TAG_SOUTH, r->grid, MPI_STATUS_IGNORE);
  pack_column(t, f, t->nx, out);
  MPI_Sendrecv(out, t->ny, MPI_DOUBLE, r->east, TAG_EAST, in, t->ny, MPI_DOUBLE, r->west, TAG_EAST, r->grid,
               MPI_STATUS_IGNORE);
  unpack_column(t, f, 0, in);
}

/* ---- a sub-step ---- */

static KEPT void swap_fields(struct tile *t)
{
  double *f = t->now;
  t->now = t->next, t->next = f;
}

static KEPT void transport(struct mesh *m)
{
  struct tile *t = &m->t;
  const double wind = 0.1;
  exchange_upwind(m, t->now);
  for (int y = 1; y <= t->ny; y++)
    for (int x = 1; x <= t->nx; x++)
      t->next[at(t, y, x)] = t->now[at(t, y, x)] + wind * (t->now[at(t, y - 1, x)] - t->now[at(t, y, x)]) +
                             wind * (t->now[at(t, y, x - 1)] - t->now[at(t, y, x)]);
  swap_fields(t);
}

/* relax does one Jacobi iteration and returns the largest change. */
static KEPT double relax(struct tile *t, double k)
{
  double most = 0;
  for (int y = 1; y <= t->ny; y++)
    for (int x = 1; x <= t->nx; x++) {
      double around = t->now[at(t, y - 1, x)] + t->now[at(t, y + 1, x)] + t->now[at(t, y, x - 1)] + t->now[at(t, y, x + 1)];
      double value = (t->old[at(t, y, x)] + k * around) / (1 + 4 * k);
      most = fmax(most, fabs(value - t->now[at(t, y, x)]));
      t->next[at(t, y, x)] = value;
    }
  return most;
}

static KEPT double agree(struct mesh *m, double mine)
{
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, m->r.grid);
  return all;
}

/* diffuse solves for the state at the end of the sub-step. */
static KEPT void diffuse(struct mesh *m, double k)
{
  struct tile *t = &m->t;
  double change = INFINITY;
  memcpy(t->old, t->now, (size_t)(t->ny + 2) * (t->nx + 2) * sizeof(double));
  for (int i = 0; i < MAX_ITERATIONS && change > 1e-7; i++) {
    exchange_all(m, t->now);
    change = agree(m, relax(t, k));
    swap_fields(t);
    m->iterations++;
  }
  if (change > 1e-7)
    fail("diffusion does not converge");
}

static KEPT void substep(struct mesh *m, int step, int sub)
{
  double rate = m->rates[(step + sub) % TASKS];
  transport(m);
  diffuse(m, 0.2 + 0.1 * rate);
}

/* ---- the sweep along rows ---- */

static KEPT void pack_rows(struct mesh *m)
{
  for (int y = 0; y < m->t.ny; y++)
    memcpy(&m->l.buffer[(size_t)y * m->t.nx], &m->t.now[at(&m->t, y + 1, 1)], m->t.nx * sizeof(double));
}

static KEPT void unpack_rows(struct mesh *m)
{
  for (int y = 0; y < m->t.ny; y++)
    memcpy(&m->t.now[at(&m->t, y + 1, 1)], &m->l.buffer[(size_t)y * m->t.nx], m->t.nx * sizeof(double));
}

/* piece is where, in what came from rank i of the row, line y begins. */
static double *piece(struct lines *l, int i, int y) { return &l->whole[l->recv_at[i] + (size_t)y * l->columns_of[i]]; }

/* smooth_line moves a part of each difference along a periodic line, twice; the
 * sum stays. */
static KEPT void smooth_line(double *line, int n)
{
  const double part = 0.2;
  for (int turn = 0; turn < 2; turn++) {
    double before = line[n - 1];
    for (int i = 0; i < n; i++) {
      double moved = part * (before - line[i]);
      before = line[i];
      line[i] += moved;
    }
  }
}

static KEPT void sweep_lines(struct mesh *m)
{
  struct lines *l = &m->l;
  for (int y = 0; y < l->count; y++) {
    for (int i = 0, x = 0; i < m->r.dims[1]; x += l->columns_of[i++])
      memcpy(&l->line[x], piece(l, i, y), l->columns_of[i] * sizeof(double));
    smooth_line(l->line, m->o.n);
    for (int i = 0, x = 0; i < m->r.dims[1]; x += l->columns_of[i++])
      memcpy(piece(l, i, y), &l->line[x], l->columns_of[i] * sizeof(double));
  }
}

static KEPT void sweep(struct mesh *m)
{
  struct lines *l = &m->l;
  pack_rows(m);
  MPI_Alltoallv(l->buffer, l->send_count, l->send_at, MPI_DOUBLE, l->whole, l->recv_count, l->recv_at, MPI_DOUBLE, m->r.row);
  sweep_lines(m);
  MPI_Alltoallv(l->whole, l->recv_count, l->recv_at, MPI_DOUBLE, l->buffer, l->send_count, l->send_at, MPI_DOUBLE, m->r.row);
  unpack_rows(m);
}

/* ---- heat, summed up while there is other work ---- */

static KEPT void begin_heat(struct mesh *m)
{
  m->heat_here = 0;
  for (int y = 1; y <= m->t.ny; y++)
    for (int x = 1; x <= m->t.nx; x++)
      m->heat_here += m->t.now[at(&m->t, y, x)];
  MPI_Iallreduce(&m->heat_here, &m->heat, 1, MPI_DOUBLE, MPI_SUM, m->r.grid, &m->heat_request);
}

static KEPT void end_heat(struct mesh *m, double first)
{
  MPI_Wait(&m->heat_request, MPI_STATUS_IGNORE);
  if (first > 0 && fabs(m->heat - first) > 1e-4 * first)
    fail("heat is lost");
}

/* age_rates is what the sum is overlapped with. */
static KEPT void age_rates(struct mesh *m)
{
  for (int i = 0; i < TASKS; i++)
    m->rates[i] = 0.99 * m->rates[i] + 0.01;
}

/* ---- the master and its workers ---- */

/* reaction is one piece of work; how long it takes depends on which. */
static KEPT double reaction(int task, int step)
{
  double x = 0.1 + 0.8 * task / TASKS;
  for (int i = 0; i < 20000 * (1 + (task * 7 + step) % 5); i++)
    x = 3.7 * x * (1 - x);
  return x;
}

static KEPT void serve(struct mesh *m)
{
  int handed = 0, stopped = 0, none = 0;
  while (stopped < m->r.size - 1) {
    MPI_Status s;
    double result[2];
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, m->r.grid, &s);
    MPI_Recv(result, 2, MPI_DOUBLE, s.MPI_SOURCE, s.MPI_TAG, m->r.grid, MPI_STATUS_IGNORE);
    if (s.MPI_TAG == TAG_RESULT)
      m->rates[(int)result[0]] = result[1];
    if (handed < TASKS)
      MPI_Send(&handed, 1, MPI_INT, s.MPI_SOURCE, TAG_TASK, m->r.grid);
    else
      MPI_Send(&none, 1, MPI_INT, s.MPI_SOURCE, TAG_STOP, m->r.grid), stopped++;
    handed++;
  }
}

static KEPT void toil(struct mesh *m, int step)
{
  double result[2] = {0, 0};
  int tag = TAG_ASK, task;
  for (;;) {
    MPI_Status s;
    MPI_Send(result, 2, MPI_DOUBLE, 0, tag, m->r.grid);
    MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, m->r.grid, &s);
    if (s.MPI_TAG == TAG_STOP)
      return;
    result[0] = task, result[1] = reaction(task, step);
    tag = TAG_RESULT;
  }
}

static KEPT void react(struct mesh *m, int step)
{
  if (m->r.rank == 0)
    serve(m);
  else
    toil(m, step);
  MPI_Bcast(m->rates, TASKS, MPI_DOUBLE, 0, m->r.grid);
}

/* ---- diagnosis ---- */

static KEPT double hottest(const struct tile *t)
{
  double most = -INFINITY;
  for (int y = 1; y <= t->ny; y++)
    for (int x = 1; x <= t->nx; x++)
      most = fmax(most, t->now[at(t, y, x)]);
  return most;
}

/* profile brings what each row of ranks holds to the first row's ranks. */
static KEPT double steepest(struct mesh *m)
{
  double *parts = allocate(m->r.dims[0], sizeof *parts), most = 0;
  MPI_Gather(&m->heat_here, 1, MPI_DOUBLE, parts, 1, MPI_DOUBLE, 0, m->r.column);
  for (int i = 1; m->r.at[0] == 0 && i < m->r.dims[0]; i++)
    most = fmax(most, fabs(parts[i] - parts[i - 1]));
  free(parts);
  return most;
}

static KEPT void diagnose(struct mesh *m, int step)
{
  double mine[2] = {hottest(&m->t), steepest(m)}, all[2];
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, 0, m->r.grid);
  if (m->r.rank == 0) {
    printf("step %4d: hottest %.6f, steepest %.3f, heat %.6f, %ld iterations\n", step, all[0], all[1], m->heat, m->iterations);
    fflush(stdout);
  }
}

/* ---- checkpoints ---- */

static KEPT MPI_Datatype tile_type(struct mesh *m)
{
  int whole[2] = {m->o.n, m->o.n}, part[2] = {m->t.ny, m->t.nx}, from[2] = {m->t.low_y, m->t.low_x};
  MPI_Datatype type;
  MPI_Type_create_subarray(2, whole, part, from, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static KEPT MPI_File open_checkpoint(struct mesh *m, int mode, MPI_Datatype type)
{
  MPI_File file;
  if (MPI_File_open(m->r.grid, m->o.file, mode, MPI_INFO_NULL, &file))
    fail("cannot open the checkpoint");
  MPI_File_set_view(file, 0, MPI_DOUBLE, type, "native", MPI_INFO_NULL);
  return file;
}

static KEPT void checkpoint(struct mesh *m)
{
  MPI_Datatype type = tile_type(m);
  MPI_File file = open_checkpoint(m, MPI_MODE_CREATE | MPI_MODE_WRONLY, type);
  pack_rows(m);
  if (MPI_File_write_at_all(file, 0, m->l.buffer, m->t.ny * m->t.nx, MPI_DOUBLE, MPI_STATUS_IGNORE))
    fail("cannot write the checkpoint");
  MPI_File_close(&file);
  MPI_Type_free(&type);
}

/* restore reads the last checkpoint back; 1 if it is the present state. */
static KEPT int restore(struct mesh *m)
{
  MPI_Datatype type = tile_type(m);
  MPI_File file = open_checkpoint(m, MPI_MODE_RDONLY, type);
  int same = 1, all;
  if (MPI_File_read_at_all(file, 0, m->l.buffer, m->t.ny * m->t.nx, MPI_DOUBLE, MPI_STATUS_IGNORE))
    fail("cannot read the checkpoint");
  MPI_File_close(&file);
  MPI_Type_free(&type);
  for (int y = 0; y < m->t.ny; y++)
    same &= !memcmp(&m->l.buffer[(size_t)y * m->t.nx], &m->t.now[at(&m->t, y + 1, 1)], m->t.nx * sizeof(double));
  MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, m->r.grid);
  return all;
}

/* ---- the whole ---- */

static KEPT void time_step(struct mesh *m, int step, double first)
{
  if (step % m->o.work == 1 || m->o.work == 1)
    react(m, step);
  for (int sub = 0; sub < SUBSTEPS; sub++)
    substep(m, step, sub);
  sweep(m);
  begin_heat(m);
  age_rates(m);
  end_heat(m, first);
  if (step % m->o.diagnose == 0)
    diagnose(m, step);
  if (step % m->o.checkpoint == 0 || step == m->o.steps)
    checkpoint(m);
}

static KEPT int conclude(struct mesh *m, double first)
{
  double most = agree(m, hottest(&m->t));
  int good = restore(m) && fabs(m->heat - first) < 1e-4 * first && most < 10;
  MPI_Barrier(m->r.grid);
  if (m->r.rank == 0) {
    printf("%s: %d ranks, %d steps, heat %.6f of %.6f, hottest %.6f\n", good ? "passed" : "FAILED", m->r.size, m->o.steps,
           m->heat, first, most);
    MPI_File_delete(m->o.file, MPI_INFO_NULL);
  }
  return good;
}

static KEPT void free_mesh(struct mesh *m)
{
  free(m->t.now), free(m->t.next), free(m->t.old);
  free(m->l.rows_of), free(m->l.buffer), free(m->l.whole), free(m->l.line);
  MPI_Comm_free(&m->r.row);
  MPI_Comm_free(&m->r.column);
  MPI_Comm_free(&m->r.grid);
}

int main(int argc, char **argv)
{
  struct mesh m = {.iterations = 0};
  MPI_Init(&argc, &argv);
  parse(argc, argv, &m.o);
  make_ranks(&m.r);
  make_tile(&m.t, &m.r, m.o.n);
  make_lines(&m.l, &m.t, &m.r, m.o.n);
  start_field(&m);
  begin_heat(&m);
  end_heat(&m, 0);
  double first = m.heat;
  for (int step = 1; step <= m.o.steps; step++)
    time_step(&m, step, first);
  int good = conclude(&m, first);
  free_mesh(&m);
  MPI_Finalize();
  return good ? 0 : 1;
}
