/* How much a rank sends in an MPI call, by its own arguments: what is in its send
 * buffers, and in place the part of the receive buffer that is used instead. What
 * the library makes of it, and who receives it, does not matter here. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

uint64_t lg_send_bytes(struct lg_call *c); /* of a call whose communicator is known */
/* The elements of one type that lie one behind the other in its send buffer; 0:
 * none, or they do not. */
uint64_t lg_send_count(const struct lg_call *c);

#pragma GCC visibility pop
