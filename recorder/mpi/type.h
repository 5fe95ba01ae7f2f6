/* Sizes of datatypes, asked of MPI once for each handle. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

struct lg_extent { /* of a datatype, bytes */
  long extent, true_lb, true_extent; /* true_extent 0: not known */
};

#pragma GCC visibility push(hidden)

extern uint32_t lg_sizes_gen; /* changes when a datatype's handle may have come to mean another */

void lg_type_freed(void);
/* The handle of a datatype as the program passes it: the k-th of an array, or by
 * value for k < 0. A Fortran handle is converted only to ask for its size. */
long lg_type_handle(const struct lg_call *c, int i, int k);
uint64_t lg_type_size(const struct lg_call *c, long handle); /* bytes; 0 unknown */
uint64_t lg_type_ask_size(const struct lg_call *c, long handle); /* likewise, without what is kept of sizes */
const struct lg_extent *lg_type_extent(const struct lg_call *c, long handle);

#pragma GCC visibility pop
