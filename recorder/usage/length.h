/* How many values the arrays among a call's arguments have. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

uint32_t lg_length(const struct lg_call *c, const struct lg_param *p, bool *known); /* known: it is to be read */

#pragma GCC visibility pop
