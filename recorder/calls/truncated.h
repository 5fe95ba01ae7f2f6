/* A message that was longer than the buffer of its receive, over which MPI ends the job. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

struct lg_truncated {
  int position, element; /* of the argument that says how much room there was: a count, or a request; element -1: no array */
  int64_t bytes, room;   /* of the message and of the buffer; -1 unknown */
};

#pragma GCC visibility push(hidden)

/* Finds the receive among what the call waits for. From then on the record of the thread says that it waits for that message alone, by its
 * sender and tag if they are known. class: of the error. false: there is no such receive, or it is not known which it was. */
bool lg_find_truncated(const struct lg_thr *t, const struct lg_call *c, int class, struct lg_truncated *out);

#pragma GCC visibility pop
