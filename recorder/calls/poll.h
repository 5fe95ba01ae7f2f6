/* Polls: tests and probes that do not block. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

/* list puts what the call polls behind n entries, and returns how many there are. */
void lg_before_poll(struct lg_call *c, uint32_t (*list)(struct lg_call *, uint32_t n));
void lg_polled(struct lg_call *c, bool got);
/* Publishes the call if it is the poll before once more, which was unsuccessful. */
bool lg_poll_again(struct lg_call *c);

#pragma GCC visibility pop
