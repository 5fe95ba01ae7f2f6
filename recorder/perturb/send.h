/* Synchronous sends in the place of standard ones. */
#pragma once

#include "mpi/call.h"

struct lg_comm_ref;

#pragma GCC visibility push(hidden)

void lg_choose_mode(struct lg_call *c);
bool lg_goes_to_another(const struct lg_call *c, const struct lg_comm_ref *comm); /* and not to this rank or nobody */

#pragma GCC visibility pop
