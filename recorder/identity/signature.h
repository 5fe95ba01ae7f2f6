/* What the members of a communicator must give alike in a collective. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

uint64_t lg_state_type_size(struct lg_call *c, int i); /* bytes of the one type of a call */
uint64_t lg_common_bytes(struct lg_call *c); /* of one block; UINT64_MAX: they may differ */
uint32_t lg_reduction_of(struct lg_call *c);    /* of a reduction, as in struct lg_begun */

#pragma GCC visibility pop
