/* What receives with a wildcard took last: a message that was meant for another receive is found
 * by this, and nowhere else. And what matched probes took: it has its number, and is not received. */
#pragma once

#include "format.h"

#pragma GCC visibility push(hidden)

/* lg_take notes a message; its seq is not read. */
void lg_take(struct lg_take message);
void lg_probed_take(struct lg_take message); /* by a matched probe */
void lg_probed_receive(uint32_t comm, int peer, int tag, uint64_t number); /* the receive of it is begun */

void lg_taken_forget(uint32_t comm); /* what was taken or probed on it */

#pragma GCC visibility pop
