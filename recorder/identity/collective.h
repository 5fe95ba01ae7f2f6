/* Collectives: what of a call the members of a communicator must have alike, and
 * the counting of those that begin. */
#pragma once

#include "identity/comm.h"
#include "identity/history.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

/* What a call begins on a communicator; it is valid until the next call from the
 * same place. */
const struct lg_collective *lg_collective_of(struct lg_call *c, const struct lg_comm_ref *comm, int root);
/* These count a collective on a communicator that is not alone, and keep it in the
 * history: its number there, from 1. The first is of a call that begins one; the
 * second begins what was made before. */
uint64_t lg_collective_begin(struct lg_call *c, struct lg_comm_ref *comm, int root);
uint64_t lg_collective_again(struct lg_comm_ref *comm, const struct lg_collective *what);

#pragma GCC visibility pop
