/* Synchronous sends in the place of standard ones. */
#ifndef LAGGARD_PERTURB_SEND_H
#define LAGGARD_PERTURB_SEND_H

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_choose_mode(struct lg_call *c);

#pragma GCC visibility pop
#endif
