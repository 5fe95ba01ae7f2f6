/* Topologies, and neighbours: whom a neighbourhood collective receives from and
 * sends to. */
#pragma once

#include "base/base.h"

struct lg_topology { /* of a communicator */
  int kind, dims; /* kind: a constant of MPI_Topo_test; dims: of a Cartesian one, else 0 */
  int in, out;    /* neighbours, as they stand in arrays: one that is there twice counts twice */
};

struct lg_neighbours { /* ranks in a communicator, ascending; without a topology `known` is false */
  bool known;
  int nsources, ndests;
  int *sources, *dests; /* to be freed */
  int slots;       /* dests as they were given */
  uint64_t nobody; /* bit k: MPI_PROC_NULL is the k-th of them */
  uint64_t hash;
};

#pragma GCC visibility push(hidden)

bool lg_topology_of(long comm, int rank, struct lg_topology *out); /* false: it has none, or it is not known */
/* The neighbours of a rank in an intracommunicator; more than LG_MAX_NEIGHBOURS are not known. */
void lg_neighbours_of(long comm, int rank, struct lg_neighbours *out);

#pragma GCC visibility pop
