// np: 4
// odd: 3
// kind: error_path
// call: MPI_Allreduce 100
// branch: -
// why: a checkpoint in memory has a bad checksum on one rank, whose library for it calls exit (line 78)
// ends: yes

// A stencil with checkpoints in memory, which are verified each time.
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 40
#define STEPS 60
#define EVERY 5

typedef struct {
  unsigned char *bytes;
  size_t size;
  unsigned sum;
  int step;
} checkpoint_t;

typedef struct {
  MPI_Comm comm;
  int rank, size;
  double cells[CELLS];
  checkpoint_t saved;
} state_t;

static int decay; /* memory of the last rank loses a bit */

static void die(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  exit(2);
}

static void *xmalloc(size_t n)
{
  void *p = malloc(n);
  if (!p)
    die("out of memory\n");
  return p;
}

static unsigned adler(const unsigned char *p, size_t n)
{
  unsigned a = 1, b = 0;
  for (size_t i = 0; i < n; i++) {
    a = (a + p[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

static void checkpoint_save(checkpoint_t *c, const void *data, size_t n, int step)
{
  if (c->size < n) {
    free(c->bytes);
    c->bytes = xmalloc(n);
    c->size = n;
  }
  memcpy(c->bytes, data, n);
  c->sum = adler(c->bytes, n);
  c->step = step;
}

static void checkpoint_verify(const checkpoint_t *c)
{
  unsigned sum = adler(c->bytes, c->size);
  if (sum != c->sum)
    die("checkpoint of step %d: checksum %08x, expected %08x\n", c->step, sum, c->sum);
}

static void relax(state_t *s)
{
  double before = s->cells[0];
  for (int i = 1; i < CELLS - 1; i++) {
    double here = s->cells[i];
    s->cells[i] = 0.25 * before + 0.5 * here + 0.25 * s->cells[i + 1];
    before = here;
  }
}

static double change(const state_t *s, const double *old)
{
  double mine = 0, most;
  for (int i = 0; i < CELLS; i++) {
    double d = s->cells[i] - old[i];
    if (d * d > mine)
      mine = d * d;
  }
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, s->comm);
  return most;
}

static double advance(state_t *s, int step)
{
  double old[CELLS];
  if (step % EVERY == 0) {
    checkpoint_save(&s->saved, s->cells, sizeof s->cells, step);
    if (decay && s->rank == s->size - 1 && step == 40)
      s->saved.bytes[17] ^= 4;
  }
  if (step % EVERY == EVERY - 1)
    checkpoint_verify(&s->saved);
  memcpy(old, s->cells, sizeof old);
  relax(s);
  return change(s, old);
}

int main(int argc, char **argv)
{
  static state_t s;
  double most = 0;
  MPI_Init(&argc, &argv);
  decay = argc > 1 && strcmp(argv[1], "hang") == 0;
  s.comm = MPI_COMM_WORLD;
  MPI_Comm_rank(s.comm, &s.rank);
  MPI_Comm_size(s.comm, &s.size);
  for (int i = 0; i < CELLS; i++)
    s.cells[i] = (i * 7 + s.rank) % 11;
  for (int step = 0; step < STEPS; step++)
    most = advance(&s, step);
  MPI_Barrier(s.comm);
  if (s.rank == 0)
    printf("last change %g\n", most);
  free(s.saved.bytes);
  MPI_Finalize();
  return 0;
}
