/* Calls that MPI refused: it returned an error to a program that asked for that, and nothing was sent, received or waited for. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

/* lg_take_back takes back what was counted when the call began, if its error, in c->code, precedes all communication; else false. */
bool lg_take_back(struct lg_call *c);

#pragma GCC visibility pop
