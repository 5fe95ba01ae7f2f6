/* A particle exchange: two species drift along a ring of ranks. Those that leave are packed, behind a
 * header, into a buffer for each side, which both species use in turn, and sent with the species in
 * the tag. With the argument tag, a few times the second species is not packed: what goes out under its
 * tag are the particles of the first. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 400, START = 160, STEPS = 200, RARE = 40, SPECIES = 2, SIDES = 2 };

struct particle {
  double x, v, charge;
};

struct header {
  int count, step;
};

struct cloud {
  int count;
  struct particle *of;
};

static int rank, size;
static char *out[SIDES], *in[SIDES];

static double uniform(unsigned *seed) { return (*seed = *seed * 1103515245u + 12345u) / 4294967296.0; }

static void fill(struct cloud *c, unsigned *seed)
{
  c->of = malloc(CAPACITY * sizeof *c->of);
  for (c->count = 0; c->count < START; c->count++) {
    struct particle p = {uniform(seed), (uniform(seed) - 0.5) / 5, 1};
    c->of[c->count] = p;
  }
}

static int side(const struct particle *p) { return p->x < 0 ? 0 : p->x >= 1 ? 1 : -1; }

static void push(struct cloud *c)
{
  for (int i = 0; i < c->count; i++)
    c->of[i].x += c->of[i].v;
}

/* Packs those that leave to a side and returns the bytes of the message. */
static size_t pack(const struct cloud *c, int to, int step)
{
  struct header h = {0, step};
  char *at = out[to] + sizeof h;
  for (int i = 0; i < c->count; i++)
    if (side(&c->of[i]) == to) {
      memcpy(at, &c->of[i], sizeof c->of[i]);
      at += sizeof c->of[i];
      h.count++;
    }
  memcpy(out[to], &h, sizeof h);
  return at - out[to];
}

static void drop(struct cloud *c)
{
  int kept = 0;
  for (int i = 0; i < c->count; i++)
    if (side(&c->of[i]) < 0)
      c->of[kept++] = c->of[i];
  c->count = kept;
}

static void unpack(struct cloud *c, const char *message, int from)
{
  struct header h;
  memcpy(&h, message, sizeof h);
  message += sizeof h;
  for (int i = 0; i < h.count && c->count < CAPACITY; i++, message += sizeof(struct particle)) {
    memcpy(&c->of[c->count], message, sizeof(struct particle));
    c->of[c->count++].x += from ? 1 : -1;
  }
}

static void exchange(struct cloud *c, int species, int step, int forgets)
{
  static size_t bytes[SIDES];
  int near[SIDES] = {(rank + size - 1) % size, (rank + 1) % size};
  MPI_Request r[SIDES];
  size_t room = sizeof(struct header) + CAPACITY * sizeof(struct particle);
  for (int s = 0; s < SIDES; s++)
    MPI_Irecv(in[s], room, MPI_BYTE, near[s], 10 * species + 1 - s, MPI_COMM_WORLD, &r[s]);
  for (int s = 0; s < SIDES; s++) {
    if (!forgets || s == 0)
      bytes[s] = pack(c, s, step);
    MPI_Send(out[s], bytes[s], MPI_BYTE, near[s], 10 * species + s, MPI_COMM_WORLD);
  }
  MPI_Waitall(SIDES, r, MPI_STATUSES_IGNORE);
  drop(c);
  for (int s = 0; s < SIDES; s++)
    unpack(c, in[s], s);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct cloud cloud[SPECIES];
  unsigned seed = 77 + rank;
  for (int s = 0; s < SIDES; s++) {
    out[s] = malloc(sizeof(struct header) + CAPACITY * sizeof(struct particle));
    in[s] = malloc(sizeof(struct header) + CAPACITY * sizeof(struct particle));
  }
  for (int k = 0; k < SPECIES; k++)
    fill(&cloud[k], &seed);
  for (int step = 0; step < STEPS; step++)
    for (int k = 0; k < SPECIES; k++) {
      push(&cloud[k]);
      exchange(&cloud[k], k, step, argc > 1 && k == 1 && step % RARE == RARE / 2);
    }
  MPI_Finalize();
  return 0;
}
