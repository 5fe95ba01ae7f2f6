/* How many values the arrays among a call's arguments have. */
#ifndef LAGGARD_LENGTH_H
#define LAGGARD_LENGTH_H

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

uint32_t lg_length(const struct lg_call *c, const struct lg_param *p, bool *known); /* known: it is to be read */

#pragma GCC visibility pop
#endif
