/* Whether the program leaves alone what it is receiving into: the first bytes of
 * a few buffers, for a few calls, checked when a call returns and when the next
 * one begins. In between MPI does nothing, so what changed there the program
 * wrote, unless an adapter or a thread of MPI's own delivers messages meanwhile:
 * then it was the program only if the message came later and went over it. */
#pragma once

#include "mpi/call.h"
#include "usage/live.h"
#include "usage/recording.h"

#pragma GCC visibility push(hidden)

void lg_receiving_start(void);
void lg_receiving_before(struct lg_usage *u); /* before MPI is called */
void lg_receiving_begun(const struct lg_call *c, struct lg_usage *u); /* the call made an operation or began one, without error */
void lg_receiving_after(struct lg_usage *u); /* after every call */
void lg_receiving_given_up(struct lg_usage *u); /* the requests of the call are cancelled */
void lg_received(struct lg_usage *u, struct lg_live *l); /* the operation is complete */

#pragma GCC visibility pop
