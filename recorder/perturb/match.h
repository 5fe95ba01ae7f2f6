/* Wildcard receives and probes take the message of another sender. */
#ifndef LAGGARD_PERTURB_MATCH_H
#define LAGGARD_PERTURB_MATCH_H

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_choose_match(struct lg_call *c);

#pragma GCC visibility pop
#endif
