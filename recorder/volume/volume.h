/* How many bytes each call site sends: at the MPI call (bytes.c), and below MPI,
 * as the second library says. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

extern bool lg_volume; /* it is recorded */
void lg_volume_start(void);
void lg_sent(struct lg_call *c, int peer, uint64_t bytes); /* counts a call of its state; peer below 0: none, or of a collective */

#pragma GCC visibility pop
