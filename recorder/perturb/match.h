/* Wildcard receives and probes take the message of another sender. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_choose_match(struct lg_call *c);

#pragma GCC visibility pop
