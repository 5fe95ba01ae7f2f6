/* The messages that MPI calls name, for the stream of data movements: a send when
 * it is begun, a receive when it is complete. Where no connection shows the data,
 * as with shared memory, the messages of both ends meet by their numbers on their
 * channel. A datatype with gaps counts with all that it spans. */
#pragma once

#include "identity/request.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_message_sent(struct lg_call *c, uint64_t seq);      /* by this call, at once */
void lg_message_received(struct lg_call *c, uint64_t seq);  /* likewise */
void lg_message_begun(struct lg_call *c, struct lg_req *r); /* keeps where a request's message is */
void lg_message_started(const struct lg_req *r);            /* of a persistent request */
/* matched: its number, if a wildcard left it open */
void lg_message_completed(const struct lg_req *r, uint64_t matched, const char *status);

#pragma GCC visibility pop
