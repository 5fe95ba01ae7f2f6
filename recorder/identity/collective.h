/* Collectives: what of a call the members of a communicator must have alike, and
 * the counting of those that begin. */
#ifndef LAGGARD_COLLECTIVE_IDENTITY_H
#define LAGGARD_COLLECTIVE_IDENTITY_H

#include "identity/comm.h"
#include "identity/history.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

struct lg_collective lg_collective_of(struct lg_call *c, const struct lg_comm_ref *comm, int root);
/* lg_collective_begin counts one, and keeps it in the history of the communicator:
 * its number there, from 1. */
uint64_t lg_collective_begin(struct lg_comm_ref *comm, const struct lg_collective *what);

#pragma GCC visibility pop
#endif
