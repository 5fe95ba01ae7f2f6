/* One-sided operations that begin at the end of their epoch, in another order. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_choose_epoch(struct lg_call *c);       /* of an operation */
void lg_start_operations(const struct lg_call *c); /* begins those that must have begun before the call */

#pragma GCC visibility pop
