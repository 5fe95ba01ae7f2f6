/* What a thread keeps aside for its calls: the handles of requests as they were
 * before, and statuses to use where the program ignores them. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

bool lg_scratch(struct lg_thr *t, uint32_t n); /* room for n requests of one call */
void lg_want_status(struct lg_call *c, uint32_t n); /* n statuses of the recorder for MPI_STATUS(ES)_IGNORE */
int lg_index(const struct lg_call *c, int v); /* of a request, from 0 in every language; undefined: none */

#pragma GCC visibility pop
