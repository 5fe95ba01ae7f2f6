/* Errors that MPI returned, which a program may overlook: how many of which class each call got,
 * and what MPI says of the first. */
#ifndef LAGGARD_FAILED_H
#define LAGGARD_FAILED_H

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_failed(const struct lg_call *c, int code); /* the call returned it */

#pragma GCC visibility pop

#endif
