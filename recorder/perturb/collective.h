/* Collectives that need not synchronise, such as a broadcast, do so. */
#ifndef LAGGARD_PERTURB_COLLECTIVE_H
#define LAGGARD_PERTURB_COLLECTIVE_H

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_choose_synchronising(struct lg_call *c);

#pragma GCC visibility pop
#endif
