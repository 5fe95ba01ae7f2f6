/* What MPI says when it is asked: whether a message is there that a receive would take, and whether a request is complete. */
#pragma once

#include "mpi/call.h"

#define LG_STATUS_BYTES 64 /* more than any MPI's status has */

#pragma GCC visibility push(hidden)

bool lg_message_is_there(long source, long tag, long comm); /* as MPI has them in C; it is not taken, and MPI goes on */
/* The handle of the k-th request that a call names, as the call has it. */
long lg_request_at(const struct lg_call *c, int k);
/* Such a request is complete, or inactive (MPI-4.0 §3.7.6); it stays as it is. A generalised one would call the program. */
bool lg_request_is_complete(const struct lg_call *c, long handle);
bool lg_has_self(void); /* there is MPI_COMM_SELF: not in a program that begins with sessions alone */

#pragma GCC visibility pop
