/* Errors that MPI returned, which a program may overlook: how many of which class each call got,
 * and what MPI says of the first; and the one over which it ends the job. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_failed(const struct lg_call *c, int code); /* the call returned it */
/* MPI ends the job over this error of the call that the thread is in. says is what it prints about it, NULL: it is asked. Nothing is
 * written where the recorder itself made the call. */
void lg_failed_for_good(const struct lg_thr *t, int code, const char *says);

#pragma GCC visibility pop
