/* What was recorded last of a call site, for the next event of it to say what
 * changed: a loop costs a few bytes a call. */
#pragma once

#include "base/base.h"
#include "identity/state.h"
#include "mpi/call.h"
#include "usage/recording.h"

#pragma GCC visibility push(hidden)

/* The scalars of a state's last events, first those before the call and then
 * those after it; zeros if they are not in this block. NULL: no memory. */
int64_t *lg_last_of(struct lg_usage *u, struct lg_st *st);
bool lg_last_same(const struct lg_call *c, const struct lg_usage *u); /* the call has the arguments of the last one */
void lg_last_keep(const struct lg_call *c); /* its arguments, which all came by value */

#pragma GCC visibility pop
