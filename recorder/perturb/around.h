/* Something that is done when a call has returned, before anything else looks at it. */
#pragma once

#include "mpi/call.h"

typedef void (*lg_afterwards)(struct lg_call *);
typedef void (*lg_completed)(struct lg_call *, long handle, int i);

#pragma GCC visibility push(hidden)

/* Calls f when what is now c->real has returned; c->code is then what the call returned. Meanwhile another argument is in
 * the place of one; position -1: none. A call has one such f. */
void lg_put_around(struct lg_call *c, lg_afterwards f, int position, long argument);
/* Calls f for each request that the call has completed, with its handle from before and its position in the call. */
void lg_each_completed(struct lg_call *c, lg_completed f);

#pragma GCC visibility pop
