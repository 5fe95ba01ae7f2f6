/* The places of a program where choices are open, and how many each has had. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

struct lg_place { /* a kind of choice at a site, in this process */
  uint64_t key; /* 0: free */
  uint64_t count;
  uint64_t noes;  /* polls that will still be answered no */
  uint64_t since, busy_since; /* when the first of them was, µs, and how long the thread had computed by then */
  bool decided;   /* about the next success of a poll */
  bool deniable;  /* the latest poll might have been answered no */
};

#pragma GCC visibility push(hidden)

/* The site of a call: a hash of the build-id of its module and the offset there, the same
 * in all runs and on all machines. In a Python program it is the innermost line in Python. */
uint64_t lg_site_of(const struct lg_call *c);
struct lg_place *lg_place_of(uint32_t kind, uint64_t site); /* NULL: there are too many. The tables are locked. */

#pragma GCC visibility pop
