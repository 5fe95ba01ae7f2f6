/* The operations of reductions that MPI brings along. */
#pragma once

#include "base/base.h"

struct lg_named { /* a predefined object: its name, OpenMPI's variable, MPICH's number, the standard ABI's */
  const char *name, *openmpi;
  long mpich, standard;
};

#pragma GCC visibility push(hidden)

/* The predefined operations, in the order of their numbers, which begin at 1. */
extern const struct lg_named lg_reductions[];
extern const uint32_t lg_nreductions;
/* The C handle of a predefined object of the MPI at hand; 0: it has none. */
long lg_named_handle(const struct lg_named *n);
/* The number of a predefined operation; lg_nreductions + 1 for one that the program made. */
uint32_t lg_reduction_number(long handle);

#pragma GCC visibility pop
