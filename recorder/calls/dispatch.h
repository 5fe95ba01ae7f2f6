/* What happens around an MPI call, by its class: before it the operation is
 * published, so that a rank that never comes back has said what it waits for;
 * after it, what the call made or completed. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_dispatch_before(struct lg_call *c);
void lg_dispatch_after(struct lg_call *c); /* c->code is what the call returned */
/* The same of a call that a callback of the program makes within another: only the communicators, windows, files
 * and datatypes that it makes or frees become known. lg_dispatched_within tells whether it does that. */
bool lg_dispatched_within(const struct lg_desc *d);
void lg_dispatch_before_within(struct lg_call *c);
void lg_dispatch_after_within(struct lg_call *c);

#pragma GCC visibility pop
