/* Collectives that need not synchronise, such as a broadcast, do so. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_choose_synchronising(struct lg_call *c);

#pragma GCC visibility pop
