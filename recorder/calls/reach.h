/* How far a call reaches in its buffers: which bytes it reads and writes there, as far as its arguments and what is kept of datatypes
 * tell. Memory is read as one that may not be there, and MPI is not asked: the call may have faulted. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

struct lg_reach {
  int position;      /* of the buffer among the arguments */
  int element;       /* of the displacements, by which it reaches highest; -1: there are none */
  int64_t low, high; /* the first byte, and behind the last, from the address of the buffer */
  bool written;
};

#define LG_MAX_REACHES 2

#pragma GCC visibility push(hidden)

int lg_reaches(const struct lg_call *c, struct lg_reach out[LG_MAX_REACHES]); /* how many are known and have bytes */
/* Adds count elements of a datatype, as lg_type_handle gives it, from a byte on; false: the type is not known. */
bool lg_reach_add(struct lg_reach *r, int64_t from, int64_t count, long type);
/* Reads argument i, a number: element k of an array, or, for k < 0, one that is none; false: it cannot be read. */
bool lg_number(const struct lg_call *c, int i, int k, int64_t *v);
/* The handle of a datatype as lg_type_handle gives it, read likewise; 0: it cannot be read. */
long lg_reach_type(const struct lg_call *c, int i, int k);
bool lg_in_memory(const struct lg_call *c, int i); /* argument i is no value but the address of one, or of several */
bool lg_is_root(const struct lg_call *c); /* the calling rank is the root; false also where that is not known */

#pragma GCC visibility pop
