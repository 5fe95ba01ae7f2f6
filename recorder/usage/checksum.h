/* Whether a buffer stays as it is while it is being sent: a sum over the bytes
 * that are sent, and no others, when the send begins and when it is complete. */
#pragma once

#include "mpi/call.h"
#include "usage/recording.h"

#pragma GCC visibility push(hidden)

void lg_sums_start(void);
void lg_sums_before(struct lg_call *c, struct lg_usage *u); /* when the call's own begin is written */
void lg_sums_ended(struct lg_call *c, struct lg_usage *u); /* it has returned without error: checks what has completed */
void lg_sums_after(struct lg_call *c, struct lg_usage *u); /* and the request that it made has its number */

#pragma GCC visibility pop
