/* The values of a call's arguments, read out by the table of parameters and put
 * into one form for every MPI and language: communicators and types by number,
 * constants of ranks and tags as in the rest of the file, truth as 0 and 1. A
 * handle is never given to MPI unless it is known to be one. */
#pragma once

#include "mpi/call.h"
#include "usage/recording.h"

#pragma GCC visibility push(hidden)

void lg_values_before(struct lg_call *c, struct lg_usage *u);
void lg_values_after(struct lg_call *c, struct lg_usage *u);
int lg_result_nowhere(const struct lg_call *c); /* the first result that MPI is given no place for, -1 none */

#pragma GCC visibility pop
