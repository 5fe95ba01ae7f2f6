/* The library is asked by local calls when a communicator has been made; a
 * duplicate has the topology of its original, so every new one is asked. */
#define _GNU_SOURCE
#include <stdlib.h>
#include "base/hash.h"
#include "format.h"
#include "identity/topology.h"
#include "mpi/family.h"
#include "mpi/symbol.h"

typedef long (*call2)(long, int *);
typedef long (*call3)(long, long, int *);
typedef long (*call4)(long, int *, int *, int *);

bool lg_topology_of(long comm, int self, struct lg_topology *out)
{
  static call2 test, cart;
  static call3 graph;
  static call4 dist;
  int weighted;
  *out = (struct lg_topology){.kind = lg_fam.undefined};
  if (!test) {
    cart = (call2)lg_find_symbol("PMPI_Cartdim_get");
    graph = (call3)lg_find_symbol("PMPI_Graph_neighbors_count");
    dist = (call4)lg_find_symbol("PMPI_Dist_graph_neighbors_count");
    test = (call2)lg_find_symbol("PMPI_Topo_test");
  }
  if (!test || test(comm, &out->kind) || out->kind == lg_fam.undefined)
    return false;
  if (out->kind == lg_fam.cart) {
    if (!cart || cart(comm, &out->dims))
      return false;
    out->in = out->out = 2 * out->dims;
    return true;
  }
  if (out->kind == lg_fam.graph) {
    if (self < 0 || !graph || graph(comm, self, &out->in))
      return false;
    out->out = out->in;
    return true;
  }
  return out->kind == lg_fam.dist_graph && dist && !dist(comm, &out->in, &out->out, &weighted);
}

static int rising(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* settle sorts ranks and leaves out MPI_PROC_NULL and repetitions. */
static int settle(int *rank, int n)
{
  int out = 0;
  qsort(rank, (size_t)n, sizeof *rank, rising);
  for (int i = 0; i < n; i++)
    if (rank[i] >= 0 && (out == 0 || rank[out - 1] != rank[i]))
      rank[out++] = rank[i];
  return out;
}

static int *room(int n)
{
  return n < 0 || n > LG_MAX_NEIGHBOURS ? NULL : malloc(sizeof(int) * (size_t)(n ? n : 1));
}

/* both takes one list for the two directions. */
static bool both(struct lg_neighbours *out, int *rank, int n)
{
  out->sources = rank;
  out->dests = room(n);
  if (!out->dests)
    return false;
  for (int i = 0; i < n; i++)
    out->dests[i] = rank[i];
  out->nsources = out->ndests = n;
  return true;
}

static bool of_cart(long comm, const struct lg_topology *t, struct lg_neighbours *out)
{
  long (*shift)(long, long, long, int *, int *) = (long (*)(long, long, long, int *, int *))lg_find_symbol("PMPI_Cart_shift");
  int *rank = shift ? room(t->in) : NULL;
  for (int i = 0; rank && i < t->dims; i++)
    if (shift(comm, i, 1, &rank[2 * i], &rank[2 * i + 1]))
      rank[2 * i] = rank[2 * i + 1] = -1;
  return rank && both(out, rank, t->in);
}

static bool of_graph(long comm, int self, const struct lg_topology *t, struct lg_neighbours *out)
{
  long (*list)(long, long, long, int *) = (long (*)(long, long, long, int *))lg_find_symbol("PMPI_Graph_neighbors");
  int *rank = list ? room(t->in) : NULL;
  return rank && both(out, rank, t->in) && !list(comm, self, t->in, out->sources) && !list(comm, self, t->in, out->dests);
}

static bool of_dist_graph(long comm, const struct lg_topology *t, struct lg_neighbours *out)
{
  long (*list)(long, long, int *, int *, long, int *, int *) =
      (long (*)(long, long, int *, int *, long, int *, int *))lg_find_symbol("PMPI_Dist_graph_neighbors");
  int in = t->in, to = t->out;
  if (!list)
    return false;
  out->sources = room(in);
  out->dests = room(to);
  int *in_weight = room(in), *to_weight = room(to);
  bool ok = out->sources && out->dests && in_weight && to_weight &&
            !list(comm, in, out->sources, in_weight, to, out->dests, to_weight);
  free(in_weight);
  free(to_weight);
  out->nsources = in;
  out->ndests = to;
  return ok;
}

static uint64_t hash(uint64_t h, const int *rank, int n)
{
  h = lg_mix(h, (uint64_t)n);
  for (int i = 0; i < n; i++)
    h = lg_mix(h, (uint64_t)rank[i]);
  return h;
}

void lg_neighbours_of(long comm, int self, struct lg_neighbours *out)
{
  struct lg_topology t;
  *out = (struct lg_neighbours){0};
  if (!lg_topology_of(comm, self, &t))
    return;
  if (t.kind == lg_fam.cart)
    out->known = of_cart(comm, &t, out);
  else if (t.kind == lg_fam.graph)
    out->known = of_graph(comm, self, &t, out);
  else
    out->known = of_dist_graph(comm, &t, out);
  if (!out->known) {
    free(out->sources);
    free(out->dests);
    *out = (struct lg_neighbours){0};
    return;
  }
  out->slots = out->ndests;
  for (int i = 0; i < out->ndests && i < 64; i++)
    if (out->dests[i] < 0)
      out->nobody |= 1ull << i;
  out->nsources = settle(out->sources, out->nsources);
  out->ndests = settle(out->dests, out->ndests);
  out->hash = hash(hash(1, out->sources, out->nsources), out->dests, out->ndests);
}
